#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "client/key.h"
#include "policy/model/facts.h"
#include "policy/model/selector_index.h"

namespace proa::policy {

using SetId = SelectorIndex::Id;

// What a set has: addresses; or, in sets of named ports, what the ports are at an address.
struct SetElement {
  IpAddress address;
  uint8_t protocol = 0;
  uint16_t port = 0;

  auto operator<=>(const SetElement&) const = default;
};

struct PortName {
  uint8_t protocol = 0;
  std::string name;

  auto operator<=>(const PortName&) const = default;
};

// The pods of a peer: their addresses, or where they have ports of these names.
struct SetMeaning {
  PodPeer pods = {};
  std::vector<PortName> ports = {};  // ascending; empty: addresses

  bool operator==(const SetMeaning&) const = default;
};

// What changed in sets since it was last taken.
struct SetChanges {
  struct Elements {
    std::vector<SetElement> added = {};
    std::vector<SetElement> removed = {};
  };
  std::vector<SetId> created = {};
  std::vector<SetId> removed = {};
  std::map<SetId, Elements> elements = {};  // also of created ones
};

// The addresses of pods, in sets by what policies ask for; equal questions share a set. A change of
// a pod costs as much as the sets that it is or was in.
class AddressSets {
 public:
  // Nullopt: there is none.
  void set_namespace(const std::string& name, std::optional<Labels> labels);
  void set_pod(const client::Key& key, std::optional<PodFacts> facts);

  // A set that stays until it was released as often as it was asked for.
  SetId acquire(const SetMeaning& meaning);
  // Once more. REQUIRES: it is there.
  void retain(SetId id) { ++sets_.at(id)->users; }
  void release(SetId id);

  bool contains(SetId id, const SetElement& element) const;
  const SetMeaning& meaning(SetId id) const { return sets_.at(id)->meaning; }
  std::vector<SetElement> elements(SetId id) const;
  std::vector<SetId> all() const;

  SetChanges take();

 private:
  // Namespaces that sets have in common.
  struct Scope {
    std::string name_space;  // empty: by the selector
    api::LabelSelector namespaces;
    SelectorIndex sets;
    size_t users = 0;

    bool covers(const std::string& name, const Labels& labels) const;
  };
  struct Set {
    SetMeaning meaning;
    std::string text;  // that of `meaning`
    std::string scope;
    size_t users = 0;
    // Two pods may have an address for a moment.
    std::map<SetElement, size_t> members;
  };
  struct Pod {
    PodFacts facts;
    std::vector<SetId> sets;  // ascending
  };
  struct Namespace {
    Labels labels;
    std::map<std::string, Pod> pods;
    std::vector<Scope*> scopes;
  };

  Namespace& name_space(const std::string& name);
  void choose_scopes(const std::string& name, Namespace& place);
  Scope& scope_of(const std::string& text, const PodPeer& peer);
  void fill(SetId id, Scope& scope);
  std::vector<SetId> sets_of(const Namespace& place, const PodFacts& facts) const;
  void move(Pod& pod, PodFacts facts, std::vector<SetId> sets);
  void add(SetId id, const PodFacts& facts);
  void remove(SetId id, const PodFacts& facts);
  void touch(SetId id, const SetElement& element, bool before);

  std::unordered_map<std::string, Namespace> namespaces_;
  std::unordered_map<std::string, std::unique_ptr<Scope>> scopes_;
  std::unordered_map<SetId, std::unique_ptr<Set>> sets_;
  std::unordered_map<std::string, SetId> by_text_;
  SetId last_ = 0;

  std::set<SetId> created_;
  std::vector<SetId> removed_;
  // Whether they were there when changes were last taken.
  std::map<SetId, std::map<SetElement, bool>> touched_;
};

// "default: app=web", "namespaces team=a: app=web, port tcp/http": for users and as identity.
std::string text_of(const SetMeaning& meaning);

}  // namespace proa::policy
