#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/threads/deadline.h"
#include "base/watch/file_follower.h"
#include "base/watch/reload_metrics.h"

namespace proa::apiserver {

// A configuration file, as it was read.
struct ConfigurationFile {
  std::string path;
  std::string text;
};

// Follows a configuration file while the server runs: what changed is put in force; what is refused
// leaves the former configuration in force. Both are logged and counted, as upstream does.
class FollowedConfiguration {
 public:
  struct Options {
    std::string_view subject;  // for logs: "authentication"
    const ReloadFamilies& families;
    ConfigurationFile file;
    std::string server;                    // its identity, for metrics
    std::function<void()> tidy = nullptr;  // called at every look
  };
  // Puts a configuration in force; false: it means the same as the one that is. What fails with
  // kServiceUnavailable is tried again, other texts only once. May block.
  using Apply = std::function<Result<bool>(const std::string& text, const Until& until)>;

  // All outlive it.
  FollowedConfiguration(Options options, Files& files, Clock& clock, Apply apply);

  // Follows the file until stop().
  Result<void> start();
  void stop() { follower_.reset(); }
  // Reads the file, and applies it if it changed; how long it takes at most to the next look.
  // REQUIRES: one thread at a time.
  Duration look(const std::stop_token& stop = {});

  void write_metrics(MetricsText& text) const { metrics_.write(text); }

 private:
  void failed(const Status& why);
  // The file has what is in force.
  void recovered();

  const Options options_;
  Files& files_;
  Clock& clock_;
  const Apply apply_;
  ReloadMetrics metrics_;
  std::string seen_;          // the text that is not tried again
  bool seen_failed_ = false;  // that text is not in force
  std::string last_failure_;  // as logged
  std::unique_ptr<FileFollower> follower_;
};

}  // namespace proa::apiserver
