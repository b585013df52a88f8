#pragma once

#include <memory>
#include <string>

#include "client/leader/while_leading.h"
#include "scheduler/config/scheduler_config.h"
#include "scheduler/scheduler.h"

namespace proa::scheduler {

// The scheduler as a component: runs while this process leads, or always if the configuration
// disables leader election.
class SchedulerService {
 public:
  // The candidate's identity is unique. Fails if the configuration or args of plugins are
  // invalid.
  static Result<std::unique_ptr<SchedulerService>> make(const SchedulerContext& context,
                                                        SchedulerConfig config,
                                                        client::Candidate candidate);

  void start() { leading_.start(); }
  // Waits for bindings in progress and releases the lease; so does destruction.
  void stop() { leading_.stop(); }
  // Whether a scheduler runs, here or in another process.
  Result<void> health() const { return leading_.health(); }
  const SchedulerConfig& config() const { return config_; }

 private:
  SchedulerService(const SchedulerContext& context, SchedulerConfig config,
                   client::Candidate candidate);
  SchedulerOptions options() const;
  std::shared_ptr<void> lead(const std::stop_token& lost) const;

  const SchedulerContext context_;
  const SchedulerConfig config_;
  client::WhileLeading leading_;
};

}  // namespace proa::scheduler
