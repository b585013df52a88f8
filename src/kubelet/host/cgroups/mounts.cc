#include "kubelet/host/cgroups/mounts.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::kubelet {
namespace mounts {

constexpr std::string_view kUsualPlace = "/sys/fs/cgroup";

// A line: "36 35 98:0 /inner /path options [tags...] - type source super-options".
struct Line {
  std::string path = {};
  std::string_view type = {};
  std::vector<std::string_view> options = {};
  std::vector<std::string_view> super_options = {};
};

bool has(const std::vector<std::string_view>& options, std::string_view name) {
  return std::find(options.begin(), options.end(), name) != options.end();
}

// Spaces and the like are written as "\040".
std::string unescape(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto digit = [&](size_t offset) {
      const size_t place = at + offset;
      return place < text.size() && text[place] >= '0' && text[place] <= '7' ? text[place] - '0'
                                                                             : -1;
    };
    if (text[at] != '\\' || digit(1) < 0 || digit(2) < 0 || digit(3) < 0) {
      plain += text[at];
      continue;
    }
    plain += static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3));
    at += 3;
  }
  return plain;
}

Line read_line(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (words.size() < 6 || words.end() - dash < 4) return {};
  return {.path = unescape(words[4]),
          .type = dash[1],
          .options = split(words[5], ','),
          .super_options = split(dash[3], ',')};
}

bool is_controller(std::string_view option) {
  constexpr std::string_view kOthers[] = {
      "rw", "ro", "xattr", "clone_children", "noprefix", "cpuset_v2_mode", "favordynmods"};
  return !option.starts_with("release_agent=") &&
         std::find(std::begin(kOthers), std::end(kOthers), option) == std::end(kOthers);
}

void add(std::vector<CgroupMount>& found, CgroupMount mount) {
  const auto same = std::find_if(found.begin(), found.end(), [&](const CgroupMount& other) {
    return other.controllers == mount.controllers;
  });
  if (same == found.end()) {
    found.push_back(std::move(mount));
  } else if (mount.path.size() < same->path.size()) {
    *same = std::move(mount);
  }
}

}  // namespace mounts

CgroupMounts find_cgroup_mounts(std::string_view mountinfo) {
  CgroupMounts found;
  for (const std::string_view text : split(mountinfo, '\n')) {
    const mounts::Line line = mounts::read_line(text);
    const bool second = line.type == "cgroup2";
    if (!second && line.type != "cgroup") continue;
    if (mounts::has(line.options, "ro") || mounts::has(line.super_options, "ro")) continue;
    if (second && line.path == mounts::kUsualPlace) return {true, {{line.path, {}}}};
    CgroupMount mount{.path = line.path};
    if (!second) {
      for (const std::string_view option : line.super_options) {
        if (mounts::is_controller(option)) mount.controllers.emplace_back(option);
      }
    }
    mounts::add(found.mounts, std::move(mount));
  }
  return found;
}

}  // namespace proa::kubelet
