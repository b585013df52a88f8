#pragma once

#include <memory>
#include <string>

#include "client/leader/while_leading.h"
#include "scheduler/config/scheduler_config.h"
#include "scheduler/scheduler.h"

namespace proa::scheduler {

// The scheduler as a part of a program: what a configuration asks for, at work while this process
// leads; always, where the configuration wants no election.
class SchedulerService {
 public:
  // `identity`: unlike those of all other candidates. Fails with what is wrong with the
  // configuration, also with args of plugins.
  static Result<std::unique_ptr<SchedulerService>> make(const Surroundings& surroundings,
                                                        SchedulerConfig config,
                                                        const std::string& identity);

  void start() { leading_.start(); }
  // Waits for bindings that are being written, and gives the lead back; so does destruction.
  void stop() { leading_.stop(); }

 private:
  SchedulerService(const Surroundings& surroundings, SchedulerConfig config,
                   const std::string& identity);
  SchedulerOptions options() const;
  std::shared_ptr<void> lead(const std::stop_token& lost) const;

  const Surroundings surroundings_;
  const SchedulerConfig config_;
  client::WhileLeading leading_;
};

}  // namespace proa::scheduler
