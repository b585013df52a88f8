#include "apiserver/access/authz/node/decisions.h"

#include <algorithm>
#include <span>

#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "kinds/core/volumes/local_path.h"

namespace proa::apiserver {
namespace decisions {

Verdict allow() { return {Decision::kAllow}; }
Verdict no_opinion(std::string reason = "") { return {Decision::kNoOpinion, std::move(reason)}; }

using Verbs = std::span<const std::string_view>;
constexpr std::string_view kCreate[] = {"create"};
constexpr std::string_view kGet[] = {"get"};
constexpr std::string_view kRead[] = {"get", "list", "watch"};
constexpr std::string_view kChange[] = {"update", "patch"};
constexpr std::string_view kReport[] = {"create", "update", "patch"};
constexpr std::string_view kCreateOrDelete[] = {"create", "delete"};
constexpr std::string_view kCreateOrRead[] = {"create", "get", "list", "watch"};
constexpr std::string_view kOne[] = {"get", "update", "patch", "delete"};
constexpr std::string_view kMany[] = {"watch", "list", "deletecollection"};
constexpr std::string_view kOwn[] = {"get", "create", "update", "patch", "delete"};

bool is_one_of(std::string_view verb, Verbs verbs) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

// Whether the selector restricts the field to the node's name. All terms must match, so one such
// term suffices.
bool selects_own(const NodeQuestion& question, std::string_view field) {
  const auto terms = question.attributes.fields;
  return std::any_of(terms.begin(), terms.end(), [&](const api::FieldSelector::Term& term) {
    return term.equal && term.field == field && term.value == question.node;
  });
}

Verdict unrelated(const NodeQuestion& question) {
  return no_opinion("no relationship found between node '" + std::string(question.node) +
                    "' and this object");
}

Verdict if_related(const NodeQuestion& question, Relative kind) {
  if (question.attributes.name.empty()) return no_opinion("No Object name found");
  return question.is_related(kind) ? allow() : unrelated(question);
}

Verdict get_related(const NodeQuestion& question, Relative kind) {
  if (question.attributes.verb != "get") {
    return no_opinion("can only get individual resources of this type");
  }
  if (!question.attributes.subresource.empty()) return no_opinion("cannot get subresource");
  return if_related(question, kind);
}

Verdict read_related(const NodeQuestion& question, Relative kind) {
  if (!is_one_of(question.attributes.verb, kRead)) {
    return no_opinion("can only read resources of this type");
  }
  if (!question.attributes.subresource.empty()) return no_opinion("cannot read subresource");
  if (question.attributes.name_space.empty()) {
    return no_opinion("can only read namespaced object of this type");
  }
  return if_related(question, kind);
}

Verdict decide_secrets(const NodeQuestion& question) {
  return read_related(question, Relative::kSecret);
}
Verdict decide_config_maps(const NodeQuestion& question) {
  return read_related(question, Relative::kConfigMap);
}

// Whether the selector restricts a list to volumes that are directories of this node.
bool selects_local_volumes(const NodeQuestion& question) {
  using Operator = api::LabelSelector::Operator;
  const auto terms = question.attributes.labels;
  return std::any_of(terms.begin(), terms.end(), [&](const api::LabelSelector::Requirement& term) {
    const bool equal = term.op == Operator::kIn || term.op == Operator::kEquals ||
                       term.op == Operator::kDoubleEquals;
    return equal && term.key == kinds::kLocalPathNode && term.values.size() == 1 &&
           term.values[0] == kinds::local_path_label(question.node);
  });
}

// Beyond upstream: a kubelet follows the volumes that are directories of its node, and takes their
// finalizer off (admission allows it nothing else) once it has removed the directory.
Verdict decide_volumes(const NodeQuestion& question) {
  const Attributes& attributes = question.attributes;
  const bool lists = attributes.verb == "list" || attributes.verb == "watch";
  if (lists && attributes.subresource.empty() && selects_local_volumes(question)) return allow();
  const bool changes = is_one_of(attributes.verb, kChange) && attributes.subresource.empty();
  if (changes && !attributes.name.empty() && question.is_related(Relative::kLocalVolume)) {
    return allow();
  }
  return get_related(question, Relative::kVolume);
}
Verdict decide_resource_claims(const NodeQuestion& question) {
  return get_related(question, Relative::kResourceClaim);
}
Verdict decide_attachments(const NodeQuestion& question) {
  return get_related(question, Relative::kAttachment);
}

Verdict decide_claims(const NodeQuestion& question) {
  if (question.attributes.subresource != "status") return get_related(question, Relative::kClaim);
  if (!is_one_of(question.attributes.verb, kChange)) {
    return no_opinion("can only get/update/patch this type");
  }
  return if_related(question, Relative::kClaim);
}

Verdict decide_service_accounts(const NodeQuestion& question) {
  const Attributes& attributes = question.attributes;
  if (attributes.verb == "get" && attributes.subresource.empty()) {
    return read_related(question, Relative::kServiceAccount);
  }
  if (attributes.verb != "create" || attributes.name.empty()) {
    return no_opinion("can only create tokens for individual service accounts");
  }
  if (attributes.subresource != "token") {
    return no_opinion("can only create token subresource of serviceaccount");
  }
  return question.is_related(Relative::kServiceAccount) ? allow() : unrelated(question);
}

// The name of an object to create is only known to admission.
bool is_own(const NodeQuestion& question) {
  return question.attributes.verb == "create" || question.attributes.name == question.node;
}

Verdict decide_leases(const NodeQuestion& question) {
  if (!is_one_of(question.attributes.verb, kOwn)) {
    return no_opinion("can only get, create, update, patch, or delete a node lease");
  }
  if (question.attributes.name_space != "kube-node-lease") {
    return no_opinion("can only access leases in the \"kube-node-lease\" system namespace");
  }
  if (!is_own(question)) {
    return no_opinion("can only access node lease with the same name as the requesting node");
  }
  return allow();
}

Verdict decide_csi_nodes(const NodeQuestion& question) {
  if (!is_one_of(question.attributes.verb, kOwn)) {
    return no_opinion("can only get, create, update, patch, or delete a CSINode");
  }
  if (!question.attributes.subresource.empty()) {
    return no_opinion("cannot authorize CSINode subresources");
  }
  if (!is_own(question)) {
    return no_opinion("can only access CSINode with the same name as the requesting node");
  }
  return allow();
}

Verdict decide_slices(const NodeQuestion& question) {
  const std::string_view verb = question.attributes.verb;
  if (!question.attributes.subresource.empty()) {
    return no_opinion("cannot authorize ResourceSlice subresources");
  }
  if (verb == "create") return allow();  // admission checks the owner
  if (is_one_of(verb, kOne)) {
    return if_related(question, Relative::kSlice);
  }
  if (!is_one_of(verb, kMany)) {
    return no_opinion(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, "
        "update, patch, delete, deletecollection");
  }
  if (selects_own(question, "spec.nodeName")) return allow();
  return no_opinion(
      "can only list/watch/deletecollection resourceslices with nodeName field selector");
}

// Compares by name, not by the graph: kubelets get their Node before they create it. Admission
// rejects changes to other nodes.
Verdict decide_nodes(const NodeQuestion& question) {
  const Attributes& attributes = question.attributes;
  if (attributes.subresource == "status" && is_one_of(attributes.verb, kChange)) {
    return allow();
  }
  if (!attributes.subresource.empty()) return no_opinion();
  if (is_one_of(attributes.verb, kReport)) return allow();
  // Other than upstream: a node may leave the cluster. Admission keeps it from shedding taints.
  if (attributes.verb == "delete" && attributes.name == question.node) return allow();
  if (!is_one_of(attributes.verb, kRead)) return no_opinion();
  if (attributes.name == question.node) return allow();
  const std::string node = "node '" + std::string(question.node) + "' cannot read ";
  if (attributes.name.empty()) return no_opinion(node + "all nodes, only its own Node object");
  return no_opinion(node + "'" + std::string(attributes.name) + "', only its own Node object");
}

Verdict decide_pods(const NodeQuestion& question) {
  const Attributes& attributes = question.attributes;
  // Admission checks that the pod is on this node, and what changes.
  const bool changes = attributes.subresource.empty() ? is_one_of(attributes.verb, kCreateOrDelete)
                       : attributes.subresource == "status"
                           ? is_one_of(attributes.verb, kChange)
                           : attributes.subresource == "eviction" && attributes.verb == "create";
  if (changes) return allow();
  if (!attributes.subresource.empty()) return no_opinion();
  if (attributes.verb == "get") return get_related(question, Relative::kPod);
  if (attributes.verb != "list" && attributes.verb != "watch") return no_opinion();
  if (selects_own(question, "spec.nodeName")) return allow();
  if (!attributes.name.empty()) return if_related(question, Relative::kPod);
  return no_opinion("can only list/watch pods with spec.nodeName field selector");
}

// Behind a disabled feature gate; without it no rule covers the resource.
Verdict decide_pod_certificates(const NodeQuestion&) { return no_opinion(); }

struct Entry {
  std::string_view group;
  std::string_view resource;
  Verdict (*decide)(const NodeQuestion& question);
};

constexpr Entry kEntries[] = {
    {"", "secrets", decide_secrets},
    {"", "configmaps", decide_config_maps},
    {"", "persistentvolumeclaims", decide_claims},
    {"", "persistentvolumes", decide_volumes},
    {"resource.k8s.io", "resourceclaims", decide_resource_claims},
    {"storage.k8s.io", "volumeattachments", decide_attachments},
    {"", "serviceaccounts", decide_service_accounts},
    {"coordination.k8s.io", "leases", decide_leases},
    {"storage.k8s.io", "csinodes", decide_csi_nodes},
    {"resource.k8s.io", "resourceslices", decide_slices},
    {"", "nodes", decide_nodes},
    {"", "pods", decide_pods},
    {"certificates.k8s.io", "podcertificaterequests", decide_pod_certificates},
};

// The rules that apply to all nodes equally: those of upstream's bootstrappolicy.NodeRules for
// resources not decided above.
struct Rule {
  std::string_view group;
  std::string_view resource;
  Verbs verbs;
};

constexpr Rule kRules[] = {
    {"authentication.k8s.io", "tokenreviews", kCreate},
    {"authorization.k8s.io", "subjectaccessreviews", kCreate},
    {"authorization.k8s.io", "localsubjectaccessreviews", kCreate},
    {"", "services", kRead},
    {"", "events", kReport},
    {"events.k8s.io", "events", kReport},
    {"", "endpoints", kGet},
    {"certificates.k8s.io", "certificatesigningrequests", kCreateOrRead},
    {"storage.k8s.io", "csidrivers", kRead},
    {"node.k8s.io", "runtimeclasses", kRead},
};

bool allowed_to_all(const Attributes& attributes) {
  if (!attributes.subresource.empty()) return false;
  return std::any_of(std::begin(kRules), std::end(kRules), [&](const Rule& rule) {
    return rule.group == attributes.group && rule.resource == attributes.resource &&
           is_one_of(attributes.verb, rule.verbs);
  });
}

}  // namespace decisions

Verdict decide_for_node(const NodeQuestion& question) {
  const Attributes& attributes = question.attributes;
  if (!attributes.is_resource) return decisions::no_opinion();
  for (const decisions::Entry& entry : decisions::kEntries) {
    if (entry.group == attributes.group && entry.resource == attributes.resource) {
      return entry.decide(question);
    }
  }
  return decisions::allowed_to_all(attributes) ? decisions::allow() : decisions::no_opinion();
}

}  // namespace proa::apiserver
