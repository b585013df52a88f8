#include "lab/plan/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace proa::lab {
namespace paths {

// FNV-1a.
uint32_t hash(std::string_view text) {
  uint32_t state = 2166136261u;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 16777619u;
  return state;
}

// A word of a shell's command line.
std::string quoted(const std::string& word) {
  const bool plain = std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::strchr("/._-+:@%", c) != nullptr;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') text += "'\\'";
    text += c;
  }
  return text + "'";
}

}  // namespace paths

std::string lab_choice(const std::string& all, const std::string& name) {
  std::string text;
  if (name != kDefaultLab) text += " --name " + name;
  if (all != kAllLabs) text += " --lab-dir " + paths::quoted(all);
  return text;
}

LabPaths lab_paths(const std::string& all, const std::string& name) {
  LabPaths made;
  made.folder = all + "/" + name;
  made.wish = made.folder + "/lab.json";
  made.token = made.folder + "/join-token";
  made.kubeconfig = made.folder + "/kubeconfig";
  made.door = made.folder + "/door";
  made.faults = made.folder + "/faults";
  made.machines = made.folder + "/machines";
  made.cgroup = "proa-lab-" + name;
  // Labs of the same name in different folders have different cgroups.
  if (all != kAllLabs) made.cgroup += fmt::format("-{:08x}", paths::hash(all));
  return made;
}

MachinePaths machine_paths(const std::string& folder) {
  return {.process = folder + "/process",
          .report = folder + "/report",
          .log = folder + "/log/proa.log",
          .service = folder + "/service",
          .lib = folder + "/lib",
          .tmp = folder + "/tmp",
          .var_log = folder + "/log",
          .etc = folder + "/etc",
          .etc_work = folder + "/etc-work"};
}

}  // namespace proa::lab
