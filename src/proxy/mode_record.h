#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "proxy/metrics.h"
#include "proxy/rules.h"

namespace proa::proxy {

// The rules of a mode, in the network namespace of the calling thread. kNotFound if a program is
// not installed.
Result<std::unique_ptr<Rules>> open_rules(Mode mode, Clock& clock);

// Says which modes wrote rules, so that another one removes them: a file that does not outlive a
// reboot, as rules do not. For one thread at a time.
class ModeRecord {
 public:
  // REQUIRES: files and clock outlive it.
  ModeRecord(Files& files, Clock& clock, std::string path)
      : files_(files), clock_(clock), path_(std::move(path)) {}

  // Notes that this mode writes rules from now on. Those of former modes stay until
  // remove_former(), so that Services are always served.
  Result<void> begin(Mode mode);
  // What fails is tried again at the next start.
  void remove_former();
  // Removes all that it names, and the file. False if there were none.
  Result<bool> remove_all();

 private:
  std::vector<Mode> read() const;
  Result<void> write() const;

  Files& files_;
  Clock& clock_;
  const std::string path_;
  std::vector<Mode> modes_;  // the current one first
};

// A file of this folder for the network namespace of the calling thread: rules are the namespace's.
std::string mode_record_path(const std::string& folder);

}  // namespace proa::proxy
