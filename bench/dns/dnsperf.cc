#include "dnsperf.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/strings.h"
#include "cluster.h"

namespace proa::dns_bench {

void write_queries(const std::string& path) {
  std::ofstream out(path);
  for (uint32_t i = 0; i < kServices; ++i) out << full_name(i) << " A\n";
}

Run dnsperf(const IpAddress& server, int port, const std::string& queries, int seconds, int rate) {
  const std::string command =
      fmt::format("dnsperf -s {} -p {} -d {} -l {} -c 8 -T 1 -q 1000 {} 2>&1", server.str(), port,
                  queries, seconds, rate > 0 ? fmt::format("-Q {}", rate) : "");
  Run run;
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return run;
  char line[512];
  while (std::fgets(line, sizeof line, output) != nullptr) {
    const std::string text(trim(line));
    const auto halves = split_once(text, ':');
    if (!halves) continue;
    const double number = std::atof(std::string(trim(halves->after)).c_str());
    if (halves->before == "Queries per second") run.rate = number;
    if (halves->before == "Queries completed") run.answers = number;
    if (halves->before == "Queries lost") run.lost = number;
  }
  pclose(output);
  return run;
}

}  // namespace proa::dns_bench
