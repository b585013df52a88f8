#include "cli/commands/lab/lab_machine.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "lab/lab.h"
#include "lab/machine/launch.h"

namespace proa::cli {
namespace lab_machine {

constexpr std::string_view kWord = "lab-machine";
// A node waits a minute for its own start, and pulls no image.
constexpr Duration kPatience = std::chrono::seconds(120);

Result<void> start(const std::string& all, const std::string& name, const std::string& machine) {
  SystemFiles files;
  SystemClock clock;
  SystemRandom random;
  const lab::Lab opened = TRY(lab::Lab::open({.files = files, .clock = clock, .all = all}, name));
  const lab::Machine* chosen = TRY(opened.plan().find(machine));
  const std::string folder = opened.paths().machine(machine);
  const auto started = lab::launch_machine(
      {.lab = opened.paths(), .plan = opened.plan(), .machine = *chosen, .patience = kPatience},
      random, clock);
  return files.write_file_atomic(lab::machine_paths(folder).report,
                                 started.ok() ? "ready" : started.status().message(), 0644);
}

}  // namespace lab_machine

std::vector<std::string> lab_machine_words(const std::string& program, const std::string& all,
                                           const std::string& lab, const std::string& machine) {
  return {program, std::string(lab_machine::kWord), all, lab, machine};
}

std::optional<int> run_as_lab_machine(std::span<const std::string> words) {
  if (words.size() != 4 || words[0] != lab_machine::kWord) return std::nullopt;
  const Result<void> started = lab_machine::start(words[1], words[2], words[3]);
  if (started.ok()) return 0;
  fprintf(stderr, "%s\n", started.status().message().c_str());
  return 1;
}

}  // namespace proa::cli
