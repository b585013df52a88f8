#pragma once

#include <string>
#include <string_view>

namespace proa::apiserver {

// The steps of one request, for those who look where its time went. Steps nest: a step belongs to
// the one that is open. REQUIRES: names and keys are constants; one stage of a request works at a
// time, as all of them do.
class Trace {
 public:
  virtual ~Trace() = default;
  virtual void begin_step(std::string_view name) = 0;
  virtual void end_step() = 0;
  // About the open step.
  virtual void note(std::string_view key, std::string value) = 0;
};

// A step from here to the end of the scope. Without a trace it costs a comparison.
class TraceStep {
 public:
  TraceStep(Trace* trace, std::string_view name) : trace_(trace) {
    if (trace_ != nullptr) trace_->begin_step(name);
  }
  ~TraceStep() {
    if (trace_ != nullptr) trace_->end_step();
  }
  TraceStep(const TraceStep&) = delete;
  TraceStep& operator=(const TraceStep&) = delete;

  void note(std::string_view key, std::string_view value) const {
    if (trace_ != nullptr) trace_->note(key, std::string(value));
  }

 private:
  Trace* const trace_;
};

// The wait until a write is durable.
constexpr std::string_view kCommitStep = "store commit";

}  // namespace proa::apiserver
