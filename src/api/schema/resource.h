#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "api/schema/model.h"
#include "base/time.h"

// Resources as data: /apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME. Built-in resources come from
// the schema files; custom ones are made by code, and look the same.

namespace proa::api {

enum class Verb : uint8_t {
  kCreate,
  kDelete,
  kDeleteCollection,
  kGet,
  kList,
  kPatch,
  kUpdate,
  kWatch,
};

std::string_view verb_name(Verb verb);  // "deletecollection"
std::optional<Verb> verb_from_name(std::string_view name);

// A set of verbs, in alphabetical order, as discovery lists them.
class Verbs {
 public:
  constexpr Verbs() = default;
  constexpr Verbs(std::initializer_list<Verb> verbs) {
    for (const Verb verb : verbs) add(verb);
  }
  constexpr void add(Verb verb) { bits_ |= bit(verb); }
  constexpr bool has(Verb verb) const { return (bits_ & bit(verb)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  bool operator==(const Verbs&) const = default;

 private:
  static constexpr uint8_t bit(Verb verb) { return uint8_t(1U << static_cast<uint8_t>(verb)); }
  uint8_t bits_ = 0;
};

struct Subresource {
  std::string_view name;       // "status", "scale"
  const Type* type = nullptr;  // of requests and responses
  Verbs verbs;
  // For "status": metadata is not changed either (except for managedFields).
  bool keeps_metadata = false;
  // For "status" without keeps_metadata: the parts of metadata that are not changed
  // ("metadata.labels").
  std::span<const std::string_view> keeps;
};

// A selectable field ("spec.nodeName") and the paths of its value. The first path with a value
// counts: an Event's source is one of two.
struct SelectableField {
  std::string_view name;
  std::span<const std::string_view> paths;  // empty: accepted, but without a value
};

// How a field selector that names an unsupported field is rejected; upstream has three forms.
enum class UnknownFieldText : uint8_t { kPlain, kNamesKind, kNamesType };

enum class Propagation : uint8_t { kBackground, kForeground, kOrphan, kUnsupported };

struct Resource {
  std::string_view group;     // "" for the core
  std::string_view version;   // "v1"
  std::string_view name;      // "pods"
  std::string_view singular;  // "pod"
  const Type* type = nullptr;
  const Type* list = nullptr;  // null if it has no lists
  bool namespaced = true;
  bool custom = false;  // of a CustomResourceDefinition
  bool ending = false;  // its definition is being deleted: there are no new objects
  Verbs verbs;
  std::span<const std::string_view> short_names;
  std::span<const std::string_view> categories;
  std::span<const Subresource> subresources;

  // How it is stored; an empty prefix: not stored.
  std::string_view key_prefix;    // "/registry/pods"
  std::string_view storage_hash;  // upstream's fingerprint of the stored version, for discovery
  // The resource in whose form objects are stored: itself, except for other versions of one kind
  // (autoscaling/v1, events.k8s.io/v1), which are converted.
  const Resource* stored = nullptr;
  std::optional<Duration> ttl;

  // In addition to metadata.name and metadata.namespace, which all have (the latter if namespaced;
  // other resources may list it here, without a value).
  std::span<const SelectableField> selectable;
  UnknownFieldText unknown_field = UnknownFieldText::kPlain;

  // metadata.generation starts at 1 and is incremented when one of these changes ("spec"); empty:
  // there is none. "*" means everything but metadata and status, "**" everything but metadata; ""
  // nothing: it stays 1.
  std::span<const std::string_view> generation_counts;
  bool generation_starts = true;      // false: absent until the first change
  bool has_status = false;            // dropped from what users create, kept when they update
  bool status_on_create = false;      // despite has_status, users create it with a status
  bool put_creates = false;           // PUT creates missing objects
  bool unconditional_update = false;  // PUT needs no resourceVersion
  bool returns_deleted = false;       // DELETE answers with the object instead of a Status
  Propagation default_propagation = Propagation::kBackground;
  // Sent as a Warning header with every answer; empty: the resource is not deprecated.
  std::string_view deprecation;

  // The order of groups in discovery, and of versions in their group: high ones first.
  int group_priority = 0;
  int version_priority = 0;

  std::string_view group_version() const { return type->group_version; }
  // Whether objects are converted when stored and read.
  bool is_converted() const { return stored != nullptr && stored != this; }
  // Null when there is none.
  const Subresource* find_subresource(std::string_view subresource) const;
};

}  // namespace proa::api
