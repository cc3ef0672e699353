//! Source addresses of providers, as `required_providers` has them: `TYPE`, `NAMESPACE/TYPE` or `HOST/NAMESPACE/TYPE` (E14).

/// The summary and the detail of the first fault of an address; `None` if it has none.
pub(super) fn fault(source: &str) -> Option<(&'static str, String)> {
    let parts: Vec<&str> = source.split('/').collect();
    if parts.len() > 3 || parts.contains(&"") {
        let detail = "A source address has one to three parts, which are separated by slashes.".to_owned();
        return Some(("Invalid provider source string", detail));
    }
    let (type_name, before) = parts.split_last()?;
    let is_local = before.is_empty();
    if !is_label(type_name) || !is_local && type_name.starts_with("terraform-") {
        return Some(("Invalid provider type", format!("{type_name:?} is no type of a provider.")));
    }
    let (namespace, host) = before.split_last()?;
    let is_of_default_registry = host.is_empty() || host == ["registry.terraform.io"];
    let is_old = *namespace == "-" && is_of_default_registry;
    if !is_old && !is_label(namespace) {
        return Some(("Invalid provider namespace", format!("{namespace:?} is no namespace of providers.")));
    }
    let host = host.first().filter(|host| !is_host(host))?;
    Some(("Invalid provider source hostname", format!("{host:?} is no name of a host.")))
}

/// Whether a text is one label of a domain name, as providers' types and namespaces are.
fn is_label(text: &str) -> bool {
    let is_inside = |sign: char| sign.is_alphanumeric() || sign == '-';
    !text.is_empty()
        && text.chars().all(is_inside)
        && !text.starts_with('-')
        && !text.ends_with('-')
        && !text.contains("--")
}

fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_part = |part: &str| is_label(part) || part.starts_with("xn--");
    port.is_none_or(is_port) && name.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e14_source_addresses_have_parts_that_are_labels() {
        for source in [
            "aws",
            "A",
            "é",
            "1a",
            "hashicorp/aws",
            "terraform-y",
            "-/aws",
            "registry.terraform.io/-/aws",
            "ex.com:80/a/b",
            "localhost/a/b",
            "terraform.io/builtin/terraform",
        ] {
            assert_eq!(fault(source), None, "{source}");
        }
        for (source, summary) in [
            ("", "Invalid provider source string"),
            ("a//b", "Invalid provider source string"),
            ("a/b/c/d", "Invalid provider source string"),
            ("${var.nope}", "Invalid provider type"),
            ("a_b", "Invalid provider type"),
            ("a--b", "Invalid provider type"),
            ("a/-", "Invalid provider type"),
            ("h_x/y_z", "Invalid provider type"),
            ("x/terraform-provider-y", "Invalid provider type"),
            ("a b/c", "Invalid provider namespace"),
            ("ex.com/-/b", "Invalid provider namespace"),
            ("ex_a/b/c", "Invalid provider source hostname"),
            ("ex..com/a/b", "Invalid provider source hostname"),
            ("ex.com:/b/c", "Invalid provider source hostname"),
        ] {
            assert_eq!(fault(source).map(|(found, _)| found), Some(summary), "{source}");
        }
    }
}
