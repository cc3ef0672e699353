//! Reading configurations, in bytes a second: bodies alone and the whole tree, beside `hcl-edit` and `serde_json` on the same text.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use planfuzz_language::config::load;
use planfuzz_language::json::{self, write_module};
use planfuzz_language::{FileId, Sources, native};

/// A module of many resources as people write them: references, templates, nested and dynamic blocks, a heredoc.
fn text() -> String {
    let mut text = String::from(
        "variable \"names\" {\n  type = map(object({ size = number, tags = optional(map(string), {}) }))\n}\n",
    );
    for number in 0..1000 {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            r#"
# The group number {number}, with rules for each name.
resource "w_thing" "group_{number}" {{
  for_each = {{ for name, one in var.names : name => one if one.size > {number} }}

  name  = "group-${{each.key}}-{number}"
  size  = each.value.size * 2 + length(local.all_{number})
  tags  = merge(each.value.tags, {{ owner = "team-a", number = "{number}" }})
  notes = <<-EOT
    group ${{each.key}} has ${{each.value.size}}
    %{{ for tag in keys(each.value.tags) ~}}
    - ${{tag}}
    %{{ endfor ~}}
  EOT

  rule {{
    ports = [80, 443, 8080]
    cidr  = "10.0.0.0/8"
  }}

  dynamic "rule" {{
    for_each = toset(["a", "b"])
    content {{
      ports = [{number}]
      cidr  = rule.value
    }}
  }}

  lifecycle {{
    ignore_changes = [tags["x"], notes]
  }}
}}

locals {{
  all_{number} = [for name in keys(var.names) : upper(name)]
}}
"#
        );
    }
    text
}

fn sources(name: &str, text: &str) -> Sources {
    let mut sources = Sources::new();
    sources.add(name, text).expect("a small file");
    sources
}

fn reading(criterion: &mut Criterion) {
    let text = text();
    let native_sources = sources("main.tf", &text);
    let module = load(&native_sources, "").configuration.module;
    let json_text = write_module(&module, &native_sources, &Default::default()).to_text();
    let json_sources = sources("main.tf.json", &json_text);

    let mut group = criterion.benchmark_group("native");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    group.bench_function("bodies", |bencher| bencher.iter(|| native::parse(black_box(text.as_bytes()), FileId(0))));
    group.bench_function("tree", |bencher| bencher.iter(|| load(black_box(&native_sources), "")));
    group.bench_function("hcl_edit", |bencher| {
        bencher.iter(|| hcl_edit::parser::parse_body(black_box(&text)).expect("native syntax"))
    });
    group.finish();

    let mut group = criterion.benchmark_group("json");
    group.throughput(Throughput::Bytes(json_text.len() as u64)).sample_size(20);
    group.bench_function("places", |bencher| bencher.iter(|| json::parse(black_box(json_text.as_bytes()), FileId(0))));
    group.bench_function("tree", |bencher| bencher.iter(|| load(black_box(&json_sources), "")));
    group.bench_function("serde_json", |bencher| {
        bencher.iter(|| serde_json::from_str::<serde_json::Value>(black_box(&json_text)).expect("JSON"));
    });
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
