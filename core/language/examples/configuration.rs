//! Reads configurations and prints their diagnostics, as an engine's validation does; or writes them as JSON syntax.
//!
//! `configuration [--schemas FILE]… FOLDER…` prints a line for each diagnostic: folder, file, first and last byte, severity, summary, address; with tabs.
//! FILE is what `providers schema -json` prints; bodies of types without a schema are read, not checked.
//! `configuration [--schemas FILE]… --json OUT FOLDER` writes the files of the folder to OUT, native ones as JSON syntax.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use planfuzz_core::json::Json;
use planfuzz_language::check::{Schemas, validate};
use planfuzz_language::config::load;
use planfuzz_language::write::write_module;
use planfuzz_language::{Diagnostic, Sources};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> std::io::Result<()> {
    let (mut schemas, mut rest) = (Schemas::default(), arguments);
    while let [flag, file, others @ ..] = rest
        && flag == "--schemas"
    {
        schemas.extend(read_schemas(Path::new(file))?);
        rest = others;
    }
    match rest {
        [flag, out, folder] if flag == "--json" => to_json(Path::new(folder), Path::new(out), &schemas),
        folders => folders.iter().try_for_each(|folder| print_diagnostics(Path::new(folder), &schemas)),
    }
}

fn read_schemas(file: &Path) -> std::io::Result<Schemas> {
    let json = Json::parse(&std::fs::read_to_string(file)?).map_err(std::io::Error::other)?;
    Schemas::from_json(&json).map_err(std::io::Error::other)
}

fn print_diagnostics(folder: &Path, schemas: &Schemas) -> std::io::Result<()> {
    let sources = read(folder)?;
    let mut loaded = load(&sources, "");
    if !loaded.diagnostics.iter().any(Diagnostic::is_error) {
        loaded.diagnostics.extend(validate(&loaded.configuration, &sources, schemas));
    }
    let mut out = std::io::stdout().lock();
    for diagnostic in &loaded.diagnostics {
        writeln!(out, "{}\t{}", folder.display(), line(diagnostic, &sources))?;
    }
    writeln!(out, "{}\tread", folder.display())
}

fn line(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let (file, span) = diagnostic.place.map_or(("", (-1, -1)), |place| {
        (sources.path(place.file), (i64::from(place.span.start), i64::from(place.span.end)))
    });
    let address = diagnostic.address.as_deref().unwrap_or("");
    format!(
        "{file}\t{}\t{}\t{}\t{}\t{address}\t{}",
        span.0, span.1, diagnostic.severity, diagnostic.summary, diagnostic.detail
    )
}

fn to_json(folder: &Path, out: &Path, schemas: &Schemas) -> std::io::Result<()> {
    let sources = read(folder)?;
    let loaded = load(&sources, "");
    for diagnostic in loaded.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        eprintln!("{}", line(diagnostic, &sources));
    }
    let mut modules = vec![&loaded.configuration];
    while let Some(configuration) = modules.pop() {
        let directory = out.join(&configuration.module.directory);
        std::fs::create_dir_all(&directory)?;
        std::fs::write(
            directory.join("main.tf.json"),
            write_module(&configuration.module, &sources, schemas).to_text(),
        )?;
        modules.extend(configuration.children.values());
    }
    for path in files(folder)? {
        let relative = path.strip_prefix(folder).unwrap_or(&path);
        let name = relative.to_string_lossy();
        if !name.ends_with(".tf") && !name.ends_with(".tf.json") {
            let target = out.join(relative);
            std::fs::create_dir_all(target.parent().unwrap_or(out))?;
            std::fs::write(target, std::fs::read(&path)?)?;
        }
    }
    Ok(())
}

/// The configuration files below a folder.
fn read(folder: &Path) -> std::io::Result<Sources> {
    let mut sources = Sources::new();
    for path in files(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if name.ends_with(".tf") || name.ends_with(".tf.json") {
            sources.add(name, std::fs::read(&path)?).map_err(std::io::Error::other)?;
        }
    }
    Ok(sources)
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                continue;
            }
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}
