#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace proa::load {

double seconds_since(std::chrono::steady_clock::time_point start);

// Processor time of a process so far, in seconds.
double processor_seconds(pid_t process);
// Of all processes of the machine together, and what the host took away.
double machine_busy_seconds();
size_t resident_bytes(pid_t process);
// What it had the disk write so far.
double written_bytes(pid_t process);

// What a stretch of time cost the server, the generator, and how much the rest of the machine did
// meanwhile.
class Meter {
 public:
  explicit Meter(pid_t server) : server_(server) {}

  void start();
  void stop();

  double seconds() const { return after_.clock - before_.clock; }
  double server_seconds() const { return after_.server - before_.server; }
  double client_seconds() const { return after_.client - before_.client; }
  // Cores that others kept busy.
  double others() const;

 private:
  struct Reading {
    double clock = 0;
    double server = 0;
    double client = 0;
    double machine = 0;
  };
  Reading read() const;

  pid_t server_;
  Reading before_;
  Reading after_;
};

}  // namespace proa::load
