#pragma once

#include <optional>
#include <string>
#include <vector>

namespace proa::load {

// What one round of a measurement gave.
struct Round {
  double value = 0;  // what the goal is about
  double p50_ms = 0;
  double p99_ms = 0;
  double server_micros = 0;  // of processor time, for each request or event
  double client_micros = 0;
  // What the value would be if this processor time were all that two cores did: a bound, for a
  // machine that is not idle. Zero: not said.
  double bound = 0;
  double others = 0;  // cores that were busy with something else
};

struct Goal {
  double value = 0;
  bool at_least = true;  // else: at most
};

// Prints a table of medians of several rounds, each with the least and the most of them.
class Table {
 public:
  // `unit` is the unit of the value, `each` what processor time is counted by.
  Table(const std::string& title, const std::string& unit, const std::string& each, int decimals);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void row(const std::string& name, const std::vector<Round>& rounds,
           std::optional<Goal> goal = {});

 private:
  int decimals_;
};

}  // namespace proa::load
