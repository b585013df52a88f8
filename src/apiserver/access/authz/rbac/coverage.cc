#include "apiserver/access/authz/rbac/coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/strings.h"

namespace proa::apiserver {
namespace coverage {

using Texts = std::vector<std::string>;

// String comparisons, nearly a tenth of a second. Typical roles need a few thousand.
constexpr size_t kMaxSteps = 10'000'000;
// Bounds the list of missing permissions.
constexpr size_t kMaxBytes = 256 * 1024;

class Comparison {
 public:
  explicit Comparison(std::span<const PolicyRule* const> held) : held_(held) {}

  void add(const PolicyRule& wanted) {
    if (over() || covered_at_once(wanted)) return;
    for (const std::string& group : wanted.groups) {
      for (const std::string& resource : wanted.resources) {
        if (over()) return;
        add_resource(wanted, group, resource);
      }
    }
    for (const std::string& path : wanted.paths) {
      if (over()) return;
      add_path(wanted, path);
    }
  }

  MissingRules take() { return std::move(missing_); }

 private:
  bool over() {
    if (steps_ > kMaxSteps || bytes_ > kMaxBytes) missing_.more = true;
    return missing_.more;
  }

  bool has(const Texts& list, std::string_view text) {
    steps_ += list.size() + 1;
    return std::find(list.begin(), list.end(), text) != list.end();
  }
  bool has_or_all(const Texts& list, std::string_view text) {
    return has(list, "*") || has(list, text);
  }
  bool has_resource(const Texts& list, std::string_view resource) {
    if (has_or_all(list, resource)) return true;
    const size_t slash = resource.find('/');
    return slash != std::string_view::npos && has(list, "*" + std::string(resource.substr(slash)));
  }
  bool has_path(const Texts& list, std::string_view path) {
    steps_ += list.size() + 1;
    return std::any_of(list.begin(), list.end(),
                       [path](const std::string& held) { return kinds::path_covers(held, path); });
  }
  template <typename Has>
  bool every(const Texts& wanted, Has has_it) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const std::string& text) { return !over() && has_it(text); });
  }

  // Whether a single held rule covers the whole rule; administrators' rules need no expansion.
  bool covered_at_once(const PolicyRule& wanted) {
    return std::any_of(held_.begin(), held_.end(), [&](const PolicyRule* held) {
      if (!held->names.empty()) return false;
      return every(wanted.verbs, [&](auto& verb) { return has_or_all(held->verbs, verb); }) &&
             every(wanted.groups, [&](auto& group) { return has_or_all(held->groups, group); }) &&
             every(wanted.resources,
                   [&](auto& one) { return has_resource(held->resources, one); }) &&
             every(wanted.paths, [&](auto& path) { return has_path(held->paths, path); });
    });
  }

  void add_resource(const PolicyRule& wanted, const std::string& group,
                    const std::string& resource) {
    std::vector<const PolicyRule*> fitting;
    for (const PolicyRule* held : held_) {
      if (over()) return;
      if (has_or_all(held->groups, group) && has_resource(held->resources, resource)) {
        fitting.push_back(held);
      }
    }
    for (const std::string& verb : wanted.verbs) {
      if (over()) return;
      if (wanted.names.empty()) {
        add_verb(fitting, {.verbs = {verb}, .groups = {group}, .resources = {resource}});
      }
      for (const std::string& name : wanted.names) {
        if (over()) return;
        add_verb(fitting,
                 {.verbs = {verb}, .groups = {group}, .resources = {resource}, .names = {name}});
      }
    }
  }

  void add_verb(const std::vector<const PolicyRule*>& fitting, PolicyRule wanted) {
    for (const PolicyRule* held : fitting) {
      if (over()) return;
      const bool named =
          held->names.empty() || (!wanted.names.empty() && has(held->names, wanted.names.front()));
      if (named && has_or_all(held->verbs, wanted.verbs.front())) return;
    }
    list(std::move(wanted));
  }

  void add_path(const PolicyRule& wanted, const std::string& path) {
    for (const std::string& verb : wanted.verbs) {
      if (over()) return;
      const bool covered = std::any_of(held_.begin(), held_.end(), [&](const PolicyRule* held) {
        return !over() && held->names.empty() && has_or_all(held->verbs, verb) &&
               has_path(held->paths, path);
      });
      if (!covered) list({.verbs = {verb}, .paths = {path}});
    }
  }

  void list(PolicyRule rule) {
    if (over()) return;
    bytes_ += sizeof(rule);
    for (const Texts* texts :
         {&rule.verbs, &rule.groups, &rule.resources, &rule.names, &rule.paths}) {
      for (const std::string& text : *texts) bytes_ += text.size();
    }
    missing_.rules.push_back(std::move(rule));
  }

  const std::span<const PolicyRule* const> held_;
  MissingRules missing_;
  size_t steps_ = 0;
  size_t bytes_ = 0;
};

}  // namespace coverage

MissingRules missing_rules(std::span<const PolicyRule* const> held,
                           std::span<const PolicyRule> wanted) {
  coverage::Comparison comparison(held);
  for (const PolicyRule& rule : wanted) comparison.add(rule);
  return comparison.take();
}

std::string describe(const MissingRules& missing) {
  // Merges rules that differ only by verb.
  std::map<std::tuple<coverage::Texts, coverage::Texts, coverage::Texts>, PolicyRule> by_resource;
  std::set<std::string> lines;
  for (const PolicyRule& rule : missing.rules) {
    if (!rule.paths.empty()) {
      lines.insert(describe(rule));
      continue;
    }
    const auto [found, added] =
        by_resource.try_emplace({rule.groups, rule.resources, rule.names}, rule);
    if (!added) found->second.verbs.push_back(rule.verbs.front());
  }
  for (const auto& [resource, rule] : by_resource) lines.insert(describe(rule));
  std::vector<std::string> sorted(lines.begin(), lines.end());
  if (missing.more) sorted.emplace_back("...");
  return join(sorted, "\n");
}

}  // namespace proa::apiserver
