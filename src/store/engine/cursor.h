#pragma once

#include <memory>

#include "store/engine/state.h"
#include "store/engine/watches.h"

namespace proa::store {

// A watch of an engine: the next revision to read, and a notifier.
class Cursor final : public Watch {
 public:
  Cursor(const EngineState& state, WatchRegistry& registry, Clock& clock, WatchOptions options);
  ~Cursor() override;

  Result<WatchBatch> next(size_t max) override;
  bool has_events() const override { return !notifier_->armed(); }
  bool wait(const Until& until) override;

 private:
  // True if the end of the history was reached.
  Result<bool> read_some(size_t max, WatchBatch& batch);

  const EngineState& state_;
  WatchRegistry& registry_;
  Clock& clock_;
  const std::shared_ptr<WatchNotifier> notifier_;
  Revision next_;
};

}  // namespace proa::store
