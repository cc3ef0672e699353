//! Hunts on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::hunted::{Bounds, Hunted};
use super::target::Target;

/// Hunts faults on so many threads, each in the cases of the same seed; `report` is called with each hunt as it ends.
/// Once the user interrupts, or their time is over, no further hunt begins. The result is in the order of the faults.
pub fn hunt_all(
    targets: &[Target],
    seed: u64,
    bounds: &Bounds<'_>,
    jobs: usize,
    report: &mut dyn FnMut(&Hunted),
) -> Vec<Hunted> {
    let next = AtomicUsize::new(0);
    let mut done: Vec<(usize, Hunted)> = Vec::with_capacity(targets.len());
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.clamp(1, targets.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while !bounds.is_interrupted() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(target) = targets.get(number) else { break };
                    if sender.send((number, target.hunt(seed, bounds))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (number, hunted) in receiver {
            report(&hunted);
            done.push((number, hunted));
        }
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, hunted)| hunted).collect()
}
