#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver::audit {

// How much an event tells: nothing; who, what and when; also the request's object; also the
// response's.
enum class Level : uint8_t { kNone, kMetadata, kRequest, kRequestResponse };
inline constexpr Level kLevels[] = {Level::kNone, Level::kMetadata, Level::kRequest,
                                    Level::kRequestResponse};

// When an event is made. ResponseStarted: of long-running requests only.
enum class Stage : uint8_t { kRequestReceived, kResponseStarted, kResponseComplete, kPanic };
inline constexpr Stage kStages[] = {Stage::kRequestReceived, Stage::kResponseStarted,
                                    Stage::kResponseComplete, Stage::kPanic};

std::string_view name_of(Level level);
std::string_view name_of(Stage stage);
// Nullopt if there is no such word.
std::optional<Level> level_from(std::string_view name);
std::optional<Stage> stage_from(std::string_view name);

class StageSet {
 public:
  StageSet() = default;
  StageSet(std::initializer_list<Stage> stages) {
    for (const Stage stage : stages) add(stage);
  }
  void add(Stage stage) { bits_ |= bit(stage); }
  bool has(Stage stage) const { return (bits_ & bit(stage)) != 0; }
  StageSet operator|(StageSet other) const {
    StageSet both = *this;
    both.bits_ |= other.bits_;
    return both;
  }

 private:
  static uint8_t bit(Stage stage) {
    return static_cast<uint8_t>(1u << static_cast<unsigned>(stage));
  }

  uint8_t bits_ = 0;
};

// Resources of a rule, as the policy states them.
struct GroupResources {
  std::string group;                   // "*": any
  std::vector<std::string> resources;  // "pods", "pods/log", "pods/*", "*/scale", "*"; none: all
  std::vector<std::string> names;      // none: all
};

// A rule as the policy states it. Empty lists match everything.
struct Rule {
  Level level = Level::kNone;
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> verbs;
  std::vector<GroupResources> resources;
  std::vector<std::string> namespaces;  // "": what is in none
  std::vector<std::string> paths;       // "/healthz*"
  StageSet omitted;
  std::optional<bool> omits_managed_fields = std::nullopt;
};

// How a request is audited.
struct Choice {
  Level level = Level::kNone;
  StageSet omitted = {};
  bool omits_managed_fields = false;

  bool emits(Stage stage) const { return level != Level::kNone && !omitted.has(stage); }
};

// The rules, compiled: evaluating them allocates nothing. Immutable.
class Policy {
 public:
  // `omitted` and `omits_managed_fields` are those of the whole policy.
  Policy(const std::vector<Rule>& rules, StageSet omitted, bool omits_managed_fields);

  // The first rule that matches decides; none: level None. `attributes.user` may be null.
  Choice evaluate(const Attributes& attributes) const;

 private:
  // Few names are compared one by one, many are searched.
  class Names {
   public:
    Names() = default;
    explicit Names(std::vector<std::string> names);
    bool empty() const { return sorted_.empty(); }
    bool has(std::string_view name) const;

   private:
    std::vector<std::string> sorted_;
  };
  struct Pattern {
    explicit Pattern(std::string_view text);
    bool matches(const Attributes& attributes) const;

    bool everything = false;      // "*"
    bool whole_resource = false;  // "pods/*", which is also "pods"
    bool any_resource = false;    // "*/scale"
    bool is_resource = false;     // "pods" or "pods/log"
    std::string resource;
    std::string subresource;
  };
  struct Target {
    bool any_group = false;
    std::string group;
    std::vector<Pattern> patterns;
    Names names;

    bool matches(const Attributes& attributes) const;
  };
  struct Compiled {
    Names users;
    Names groups;
    Names verbs;
    Names namespaces;
    std::vector<Target> targets;
    std::vector<std::string> paths;
    Choice choice;

    bool matches(const Attributes& attributes) const;
    bool matches_user(const User* user) const;
    bool matches_resource(const Attributes& attributes) const;
    bool matches_path(std::string_view path) const;
  };

  std::vector<Compiled> rules_;
  Choice otherwise_;
};

}  // namespace proa::apiserver::audit
