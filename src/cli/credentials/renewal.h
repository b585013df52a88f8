#pragma once

#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "base/threads/mutex.h"

namespace proa::cli {

// Keeps the certificates of a server that runs good: looks once a day, and whenever the machine's
// date was set, and makes anew what ensure_certificates would. Whoever follows the files sees it;
// the administrator's kubeconfig is written again. On a thread of its own, once it is started.
class Renewal {
 public:
  struct Options {
    std::string directory;                // of the certificates
    std::vector<std::string> names;       // of the server
    std::string kubeconfig;               // the administrator's file
    std::string server;                   // the URL in it
    std::string node_name;                // of the node in this process; empty: none
    std::vector<std::string> node_names;  // of its server
  };
  // Files and clock outlive it.
  Renewal(Files& files, Clock& clock, Options options);
  ~Renewal();
  Renewal(const Renewal&) = delete;
  Renewal& operator=(const Renewal&) = delete;

  // Polls from now on, until it is destroyed. At most once.
  void start();
  // Looks if it is time to: the first time, when a day is over, or when the calendar went another
  // way than the steady clock. Whether it did. REQUIRES: not started.
  bool poll();

 private:
  void run();
  bool pause() EXCLUDES(mutex_);
  bool is_due();
  Result<void> look();

  Files& files_;
  Clock& clock_;
  const Options options_;

  // Of whoever polls.
  Steady next_look_;
  Duration calendar_offset_;

  Mutex mutex_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace proa::cli
