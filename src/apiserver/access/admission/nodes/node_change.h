#pragma once

#include <string>
#include <string_view>

#include "api/validation/go_text.h"
#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/objects/reader.h"

namespace proa::apiserver {

// A write by a node, as NodeRestriction checks it.
struct NodeChange {
  std::string_view node;  // the requesting node
  const Admission& admission;
  api::View object;  // absent for deletions
  const ObjectReader& objects;
  Authorizer& authorizer;
  std::span<const IpPrefix> pod_ranges;  // see AdmissionContext

  Operation operation() const { return admission.operation; }
  api::View old() const { return admission.old; }
  // The name of the written object. On create, only the object may have it.
  std::string_view name() const;

  Status forbidden(std::string_view why) const { return admission.forbidden(object, why); }
  // `node "n1" WHY`
  Status forbidden_to_node(std::string_view why) const;
  Status unexpected_operation() const;
};

// For objects that the write depends on: `pod "web" not found`, `csidriver.storage.k8s.io "x" not
// found`.
Status not_found(std::string_view group, std::string_view singular, std::string_view name);

// Deep comparison; empty equals absent.
bool is_same(api::View a, api::View b);

}  // namespace proa::apiserver
