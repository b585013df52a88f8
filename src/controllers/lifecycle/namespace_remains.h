#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"

namespace proa::controllers {

// What is still in a namespace after a round of deletions.
struct NamespaceRemains {
  // What upstream waits for finalizers of others.
  static constexpr int64_t kFinalizerSeconds = 15;

  std::map<std::string, size_t> resources = {};     // "pods.": how many
  std::map<std::string, size_t> finalizers = {};    // by their names
  std::vector<std::string> failures = {};           // of deletions
  std::map<std::string, std::string> unknown = {};  // group versions that do not say what they have
  int64_t seconds = 0;                              // until it is worth looking again

  bool nothing() const { return resources.empty() && failures.empty() && unknown.empty(); }

  void add_failure(std::string message) {
    failures.push_back(std::move(message));
    seconds = std::max(seconds, kFinalizerSeconds);
  }
  void add_unknown(const std::string& group_version, std::string why) {
    unknown.emplace(group_version, std::move(why));
    seconds = std::max(seconds, kFinalizerSeconds);
  }
  // An object that is still there.
  void add_object(std::string_view resource, std::string_view group, api::View metadata) {
    ++resources[std::string(resource) + "." + std::string(group)];
    for (const api::View finalizer : metadata["finalizers"].items()) {
      ++finalizers[std::string(finalizer.text())];
    }
    const int64_t grace = metadata["deletionGracePeriodSeconds"].integer();
    seconds = std::max(seconds, metadata["finalizers"].empty() ? grace : kFinalizerSeconds);
  }
};

}  // namespace proa::controllers
