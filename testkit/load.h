#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/time.h"

// Shared by tests that put load on a server.
namespace proa::testkit {

size_t resident_bytes(pid_t process);
// Without the program's code and constants, which are resident once they were used.
size_t private_bytes(pid_t process);

class Latencies {
 public:
  void add(Duration latency) { all_.push_back(latency); }
  void add(const Latencies& more) { all_.insert(all_.end(), more.all_.begin(), more.all_.end()); }
  size_t count() const { return all_.size(); }
  // Of the latency in milliseconds. REQUIRES: not empty.
  int64_t percentile(size_t percent) const;
  // "1/2/8 ms": the median, 95 % and 99 %.
  std::string text() const;

 private:
  std::vector<Duration> all_;
};

// The fraction of the machine's processor time that is not used by unrelated processes or by other
// guests of the host, since it was made.
class MachineShare {
 public:
  // `child`: a process that belongs to the test and still runs; 0: none.
  explicit MachineShare(pid_t child = 0) : child_(child), begin_(sample()) {}
  // REQUIRES: all other children have been reaped.
  double measure() const;

 private:
  struct Sample {
    double total = 0;  // seconds, of all processors
    double busy = 0;
    double ours = 0;
  };
  Sample sample() const;

  const pid_t child_;
  const Sample begin_;
};

// The milliseconds allowed where `limit` is on an otherwise idle machine. If other processes use a
// quarter of it, everything takes a third longer.
int64_t allowed(int64_t limit, double share);

// If other processes use more than the rest, threads mostly wait for a processor, and that a server
// is slow says nothing about it.
constexpr double kLeastShare = 0.5;

// Measurements of latency that are repeated if only their latency is too high, three in all: a
// fault of the program repeats, a moment in which the machine was busy with something else does
// not. Its share of the machine does not show such moments, which decide about the slowest
// percents.
//
//   for (LatencyTrials trials; trials.next();) { ...; trials.judge("a request", found, 100, share);
//   }
class LatencyTrials {
 public:
  // Whether to measure, for the first time or again. After the last time, reports what was too
  // slow, or skips the test if the machine was too busy for that. A test that failed otherwise is
  // not repeated.
  bool next();
  // The limit is that of the 99th percentile in milliseconds, on an idle machine.
  void judge(const std::string& what, const Latencies& latencies, int64_t limit, double share);

 private:
  void report() const;

  static constexpr int kMost = 3;
  int made_ = 0;
  std::string too_slow_;  // of the last one
  bool too_busy_ = false;
};

}  // namespace proa::testkit
