#include "apiserver/resources/managed/reset_fields.h"

#include <array>
#include <vector>

#include "base/strings.h"

namespace proa::apiserver {
namespace reset {

using api::Element;
using api::FieldSet;
using api::FieldSetMaker;

constexpr size_t kMaxPaths = 3;
using Paths = std::array<std::string_view, kMaxPaths>;  // empty ones do not count

constexpr Paths kStatus = {"status"};
constexpr Paths kSpec = {"spec"};
constexpr Paths kSpecAndMetadata = {"metadata", "spec"};

struct Exception {
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  Paths paths;
};

// Where a strategy lists something else than the rule.
constexpr Exception kExceptions[] = {
    {"", "namespaces", "finalize", kStatus},
    {"", "pods", "status", {"metadata.deletionTimestamp", "metadata.ownerReferences", "spec"}},
    {"apps", "deployments", "status", {"metadata.labels", "spec"}},
    {"certificates.k8s.io", "certificatesigningrequests", "", {"spec", "status"}},
    {"certificates.k8s.io",
     "certificatesigningrequests",
     "approval",
     {"spec", "status.certificate"}},
    {"certificates.k8s.io", "certificatesigningrequests", "status", {"spec", "status.conditions"}},
};

FieldSet make_set(const Paths& paths, FieldSetMaker& make) {
  FieldSet set;
  for (const std::string_view path : paths) {
    if (path.empty()) continue;
    std::vector<Element> elements;
    for (const std::string_view step : split(path, '.')) elements.push_back(Element::field(step));
    set = make.unite(set, make.single(elements));
  }
  return set;
}

// Made once.
struct Sets {
  json::Arena arena;
  FieldSet status;
  FieldSet spec;
  FieldSet spec_and_metadata;
  std::array<FieldSet, std::size(kExceptions)> exceptions;

  Sets() {
    FieldSetMaker make(arena);
    status = make_set(kStatus, make);
    spec = make_set(kSpec, make);
    spec_and_metadata = make_set(kSpecAndMetadata, make);
    for (size_t i = 0; i < exceptions.size(); ++i)
      exceptions[i] = make_set(kExceptions[i].paths, make);
  }
};

const Sets& sets() {
  static const Sets made;
  return made;
}

}  // namespace reset

api::FieldSet reset_fields(const api::Resource& resource, const api::Subresource* subresource) {
  const reset::Sets& sets = reset::sets();
  const std::string_view name = subresource == nullptr ? std::string_view() : subresource->name;
  for (size_t i = 0; i < sets.exceptions.size(); ++i) {
    const reset::Exception& exception = reset::kExceptions[i];
    if (!resource.custom && exception.subresource == name && exception.resource == resource.name &&
        exception.group == resource.group)
      return sets.exceptions[i];
  }
  if (subresource == nullptr) return resource.has_status ? sets.status : api::FieldSet();
  if (name != "status") return {};
  return subresource->keeps_metadata ? sets.spec_and_metadata : sets.spec;
}

}  // namespace proa::apiserver
