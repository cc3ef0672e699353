//! The categories of a provider's types: the same name may be a resource, a data source and an ephemeral resource.

/// The category of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// A managed resource.
    #[default]
    Resource,
    /// A data source.
    Data,
    /// An ephemeral resource.
    Ephemeral,
}

impl Category {
    const ALL: [Category; 3] = [Category::Resource, Category::Data, Category::Ephemeral];

    fn prefix(self) -> &'static str {
        match self {
            Category::Resource => "",
            Category::Data => "data.",
            Category::Ephemeral => "ephemeral.",
        }
    }

    /// The address of a type, as configurations refer to it: `x_disk`, `data.x_disk`, `ephemeral.x_token`.
    pub fn address(self, name: &str) -> String {
        format!("{}{name}", self.prefix())
    }

    /// The category and the name of an address.
    pub fn of_address(address: &str) -> (Category, &str) {
        let with = |category: Category| Some((category, address.strip_prefix(category.prefix())?));
        Category::ALL.into_iter().rev().find_map(with).unwrap_or((Category::Resource, address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_contains_its_category() {
        for category in Category::ALL {
            assert_eq!(Category::of_address(&category.address("x_a")), (category, "x_a"));
        }
    }
}
