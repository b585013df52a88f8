#include "report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

namespace proa::load {
namespace report {

double median(const std::vector<Round>& rounds, double Round::*member) {
  std::vector<double> values;
  for (const Round& round : rounds) values.push_back(round.*member);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string number(double value, int decimals) {
  return value == 0 ? "" : fmt::format("{:.{}f}", value, decimals);
}

}  // namespace report

Table::Table(const std::string& title, const std::string& unit, const std::string& each,
             int decimals)
    : decimals_(decimals) {
  fmt::print("{}{}\n{:<38} {:>10} {:>17} {:>9} {:>8} {:>8} {:>9} {:>9} {:>6}  goal\n", title,
             each.empty() ? "" : "; processor time for each " + each, "", unit, "least..most",
             each.empty() ? "" : "2 cores", "p50 ms", "p99 ms", each.empty() ? "" : "server us",
             each.empty() ? "" : "client us", "others");
}

Table::~Table() {
  fmt::print("\n");
  std::fflush(stdout);
}

void Table::row(const std::string& name, const std::vector<Round>& rounds,
                std::optional<Goal> goal) {
  using report::median;
  using report::number;
  const double value = median(rounds, &Round::value);
  const auto [least, most] = std::ranges::minmax(rounds, {}, &Round::value);
  std::string verdict;
  if (goal) {
    const bool reached = goal->at_least ? value >= goal->value : value <= goal->value;
    verdict = fmt::format("{} {:.{}f}: {}", goal->at_least ? "at least" : "at most", goal->value,
                          decimals_, reached ? "reached" : "MISSED");
  }
  fmt::print(
      "{:<38} {:>10.{}f} {:>17} {:>9} {:>8} {:>8} {:>9} {:>9} {:>6.1f}  {}\n", name, value,
      decimals_, fmt::format("{:.{}f}..{:.{}f}", least.value, decimals_, most.value, decimals_),
      number(median(rounds, &Round::bound), 0), number(median(rounds, &Round::p50_ms), 2),
      number(median(rounds, &Round::p99_ms), 2), number(median(rounds, &Round::server_micros), 1),
      number(median(rounds, &Round::client_micros), 1), median(rounds, &Round::others), verdict);
  std::fflush(stdout);
}

}  // namespace proa::load
