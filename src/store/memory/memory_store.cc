#include "store/memory/memory_store.h"

namespace proa::store {
namespace memory_store {

class NoJournal final : public Journal {
 public:
  Result<void> write(const JournalWrite&) override { return {}; }
  Result<void> checkpoint(const std::string&) override {
    return Status(Reason::kMethodNotAllowed, "a store in memory cannot be copied: it has no files");
  }
  Result<void> close(Revision) override { return {}; }
  uint64_t disk_bytes() const override { return 0; }
};

}  // namespace memory_store

std::unique_ptr<Engine> make_memory_store(Clock& clock, EngineOptions options) {
  return std::make_unique<Engine>(clock, std::move(options),
                                  std::make_unique<memory_store::NoJournal>(), Keyspace{},
                                  JournalFacts{});
}

}  // namespace proa::store
