// The form of values on disk: another transformer, and rewriting what the last one wrote.
#include <algorithm>

#include "store/engine/engine.h"
#include "store/engine/scarce_space.h"

namespace proa::store {
namespace reencode {

// One pass rewrites, the next finds nothing. More are needed only if a key changes meanwhile.
constexpr int kMaxPasses = 6;

}  // namespace reencode

Result<void> Engine::set_transformer(std::shared_ptr<const ValueTransformer> transformer) {
  MutexLock lock(forms_mutex_);
  // Nearly everything without holding up commits; then what was committed meanwhile.
  const std::string rest = TRY(journal_->verify_values(*transformer, {}));
  return as_leader([&]() -> Result<void> {
    TRY(journal_->verify_values(*transformer, rest));
    journal_->set_transformer(std::move(transformer));
    return {};
  });
}

Result<void> Engine::reencode(const ReencodeObserver& observe, const std::stop_token& stop) {
  MutexLock lock(forms_mutex_);
  ReencodeProgress progress;
  for (int pass = 0; pass < reencode::kMaxPasses; ++pass) {
    const size_t before = progress.rewritten;
    TRY(reencode_all(progress, observe, stop));
    if (progress.rewritten == before) {
      progress.stage = ReencodeProgress::Stage::kPurging;
      observe(progress);
      return journal_->purge(stop);
    }
    progress.stage = ReencodeProgress::Stage::kVerifying;
  }
  return Status(Reason::kConflict,
                "values on disk have a stale form again after each pass: the keys keep changing");
}

Result<void> Engine::reencode_all(ReencodeProgress& progress, const ReencodeObserver& observe,
                                  const std::stop_token& stop) {
  progress.examined = 0;
  std::string from;
  do {
    if (stop.stop_requested()) return Status(Reason::kTimeout, "stopped");
    const StoreStats now = stats();
    progress.total = std::max(progress.examined, now.keys + now.history);
    observe(progress);
    Reencoded done;
    const auto some = [&]() -> Result<void> {
      done = TRY(reencode_some(from));
      return {};
    };
    TRY(as_leader(some));
    progress.examined += done.examined;
    progress.rewritten += done.rewritten;
    from = std::move(done.next);
  } while (!from.empty());
  observe(progress);
  return {};
}

// As the leader.
Result<Reencoded> Engine::reencode_some(const std::string& from) {
  // Until the files are purged, rewritten values take their space twice.
  if (journal_->room() != Room::kEnough) return full_disk_status(journal_->disk());
  Reencoded done = TRY(journal_->reencode(from, [this](std::string_view key, Revision revision) {
    return find_change(key, revision);
  }));
  if (done.write_failure) return fail(*done.write_failure);
  return done;
}

EntryPtr Engine::find_change(std::string_view key, Revision revision) const {
  ReaderLock lock(state_.mutex);
  // A version that is older than the history is the one at its beginning.
  const Revision at = std::max(revision, state_.keyspace.compacted());
  EntryPtr found = state_.keyspace.find_at(key, at);
  if (found != nullptr && found->mod_revision() != revision) found = nullptr;
  return found;
}

}  // namespace proa::store
