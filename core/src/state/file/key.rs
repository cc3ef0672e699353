//! Keys of resource instances (PL70).

/// The key of a resource instance. The order is that of PL74: none, integers, strings.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstanceKey {
    /// The resource does not repeat.
    #[default]
    None,
    /// By `count`.
    Int(i64),
    /// By `for_each`.
    Text(String),
}
