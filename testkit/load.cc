#include "testkit/load.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <numeric>

namespace proa::testkit {
namespace load {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// User and system time of a process and its reaped children.
double seconds_of(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text{std::istreambuf_iterator<char>(stat), {}};
  // The name may contain spaces; field 14 of proc(5) is the twelfth after it.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::vector<std::string> fields;
  for (size_t at = name_end + 2; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    fields.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  double ticks = 0;
  for (size_t i = 11; i < 15 && i < fields.size(); ++i) ticks += std::stod(fields[i]);
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

struct Pages {
  size_t resident = 0;  // bytes
  size_t shared = 0;    // of them, those of files
};

Pages read_pages(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  size_t total = 0;
  Pages pages;
  statm >> total >> pages.resident >> pages.shared;
  const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return {pages.resident * size, pages.shared * size};
}

}  // namespace load

size_t resident_bytes(pid_t process) { return load::read_pages(process).resident; }

size_t private_bytes(pid_t process) {
  const load::Pages pages = load::read_pages(process);
  return pages.resident - pages.shared;
}

int64_t Latencies::percentile(size_t percent) const {
  std::vector<Duration> sorted = all_;
  std::ranges::sort(sorted);
  return load::milliseconds(sorted[sorted.size() * percent / 100]);
}

std::string Latencies::text() const {
  std::string text;
  for (const size_t percent : {50, 95, 99}) {
    text += (text.empty() ? "" : "/") + std::to_string(percentile(percent));
  }
  return text + " ms";
}

MachineShare::Sample MachineShare::sample() const {
  std::ifstream stat("/proc/stat");
  std::string name;
  // user, nice, system, idle, iowait, irq, softirq, steal
  std::array<double, 8> ticks{};
  stat >> name;
  for (double& tick : ticks) stat >> tick;
  const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Sample made;
  made.total = std::accumulate(ticks.begin(), ticks.end(), 0.0) / per_second;
  made.busy = (ticks[0] + ticks[1] + ticks[2] + ticks[7]) / per_second;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    made.ours += load::seconds(usage.ru_utime) + load::seconds(usage.ru_stime);
  }
  if (child_ != 0) made.ours += load::seconds_of(child_);
  return made;
}

double MachineShare::measure() const {
  const Sample end = sample();
  const double taken = (end.busy - begin_.busy) - (end.ours - begin_.ours);
  return std::clamp(1 - taken / (end.total - begin_.total), 0.1, 1.0);
}

int64_t allowed(int64_t limit, double share) {
  return static_cast<int64_t>(static_cast<double>(limit) / share);
}

bool LatencyTrials::next() {
  if (testing::Test::HasFailure() || testing::Test::IsSkipped()) return false;
  if (made_ > 0 && too_slow_.empty()) return false;
  if (made_ == kMost) {
    report();
    return false;
  }
  if (made_ > 0) std::cout << "measured again, for it was too slow:" << too_slow_ << std::endl;
  too_slow_.clear();
  ++made_;
  return true;
}

void LatencyTrials::report() const {
  // Neither passed nor failed: that the machine was busy says nothing about the program.
  if (too_busy_) GTEST_SKIP() << "the machine is too busy to judge:" << too_slow_;
  FAIL() << "too slow in each of " << kMost << " measurements, in the last:" << too_slow_;
}

void LatencyTrials::judge(const std::string& what, const Latencies& latencies, int64_t limit,
                          double share) {
  const int64_t most = allowed(limit, std::max(share, kLeastShare));
  if (latencies.percentile(99) < most) return;
  if (share < kLeastShare) too_busy_ = true;
  too_slow_ += " " + what + " " + latencies.text() + ", allowed " + std::to_string(most) + " ms;";
}

}  // namespace proa::testkit
