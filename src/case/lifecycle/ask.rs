//! Sends calls to a provider.

use planfuzz_core::planner::Provider;

use super::{ProviderAnswer, ProviderRequest};

impl ProviderRequest {
    /// Sends the call to a provider.
    pub fn put_to(self, provider: &mut dyn Provider) -> ProviderAnswer {
        match self {
            ProviderRequest::Validate(request) => ProviderAnswer::Validate(provider.validate(request)),
            ProviderRequest::Upgrade(request) => ProviderAnswer::Upgrade(provider.upgrade(request)),
            ProviderRequest::Read(request) => ProviderAnswer::Read(provider.read(request)),
            ProviderRequest::Plan(request) => ProviderAnswer::Plan(provider.plan(request)),
            ProviderRequest::Apply(request) => ProviderAnswer::Apply(provider.apply(request)),
            ProviderRequest::Import(request) => ProviderAnswer::Import(provider.import(request)),
            ProviderRequest::ReadData(request) => ProviderAnswer::ReadData(provider.read_data(request)),
        }
    }
}
