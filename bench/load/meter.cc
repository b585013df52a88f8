#include "meter.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string>

namespace proa::load {
namespace meter {

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace meter

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same as /proc/PID/stat says, in nanoseconds instead of ticks.
double processor_seconds(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0) return 0;
  ::clock_gettime(clock, &time);
  return meter::seconds(time);
}

double machine_busy_seconds() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double waiting = 0;
  double interrupts = 0;
  double soft_interrupts = 0;
  double stolen = 0;
  stat >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >>
      stolen;
  return (user + nice + system + interrupts + soft_interrupts + stolen) /
         static_cast<double>(::sysconf(_SC_CLK_TCK));
}

size_t resident_bytes(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  size_t total = 0;
  size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

double written_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/io");
  std::string name;
  double value = 0;
  while (file >> name >> value) {
    if (name == "write_bytes:") return value;
  }
  return 0;
}

void Meter::start() { before_ = read(); }

void Meter::stop() { after_ = read(); }

double Meter::others() const {
  const double busy = after_.machine - before_.machine;
  return std::max(0.0, (busy - server_seconds() - client_seconds()) / seconds());
}

Meter::Reading Meter::read() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return {meter::seconds(now), processor_seconds(server_), processor_seconds(::getpid()),
          machine_busy_seconds()};
}

}  // namespace proa::load
