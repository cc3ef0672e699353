//! The test provider as a process: how it listens, and what a bad one does instead.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use planfuzz_engine::proto::{tfplugin5, tfplugin6};

use super::provider::Planted;

/// Runs as a provider: the words are how it listens, its breach, the file for its process id, and the directory of its objects.
pub fn serve(words: &[String]) {
    let word = |index: usize| words.get(index).map(String::as_str).unwrap_or_default();
    if !word(2).is_empty() {
        leave_traces(&PathBuf::from(word(2)));
    }
    match word(1) {
        "silent" => std::thread::sleep(Duration::from_secs(600)),
        "dead" => {
            eprintln!("no licence");
            std::process::exit(3);
        }
        "old" => println!("1|4|unix|/tmp/none|netrpc|"),
        "chatty" => println!("Hello, I am a provider."),
        breach => return listen(word(0), Planted::new(breach, (!word(3).is_empty()).then(|| PathBuf::from(word(3))))),
    }
    std::thread::sleep(Duration::from_secs(600));
}

/// Starts a process that outlives this one, and writes both process ids to a file.
#[allow(clippy::zombie_processes, reason = "it is to be left behind")]
fn leave_traces(at: &PathBuf) {
    let child = std::process::Command::new("sleep").arg("600").spawn().expect("sleep");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(at).expect("a file");
    // In one write: others append to the file, too, and the test takes every second line for a provider.
    let both = format!("{}\n{}\n", std::process::id(), child.id());
    file.write_all(both.as_bytes()).expect("written");
}

fn listen(how: &str, planted: Planted) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async move {
        if how == "tcp5" {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
            println!("1|5|tcp|{}|grpc|", listener.local_addr().expect("an address"));
            let service =
                tfplugin5::provider_server::ProviderServer::new(planted).max_encoding_message_size(usize::MAX);
            let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
            tonic::transport::Server::builder()
                .add_service(service)
                .serve_with_incoming(incoming)
                .await
                .expect("served");
        } else {
            let path = std::env::temp_dir().join("planted.sock");
            let listener = tokio::net::UnixListener::bind(&path).expect("a socket");
            println!("1|6|unix|{}|grpc|", path.display());
            let service =
                tfplugin6::provider_server::ProviderServer::new(planted).max_encoding_message_size(usize::MAX);
            let incoming = tokio_stream::wrappers::UnixListenerStream::new(listener);
            tonic::transport::Server::builder()
                .add_service(service)
                .serve_with_incoming(incoming)
                .await
                .expect("served");
        }
    });
}
