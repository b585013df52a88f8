#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"

// ControllerRevisions: earlier pod templates of a DaemonSet or StatefulSet, for rollbacks. In
// upstream's layout, which kubectl rollout reads.

namespace proa::controllers {

// Label of pods: the revision they were created from. Label of a DaemonSet's revisions: the value
// that their pods have.
inline constexpr std::string_view kRevisionHashLabel = "controller-revision-hash";
// Label of a StatefulSet's revisions.
inline constexpr std::string_view kStatefulHashLabel = "controller.kubernetes.io/hash";

// With sorted keys and without nulls: equal values have equal texts.
std::string sorted_json(api::View value);
// A patch that sets the owner's current template, with sorted keys as upstream's. `owner`: the
// root of its document.
std::string revision_data(api::View owner);
// The template in the data of a revision; an empty object if there is none.
Result<json::Document> revision_template(const api::Object& revision);

// The hash in names and labels, in upstream's safe alphabet. `collisions`: number of earlier hashes
// that were taken.
std::string revision_hash(std::string_view data, std::optional<int64_t> collisions);
// The label kRevisionHashLabel of a pod or revision; empty if absent.
std::string_view revision_hash_of(const api::Object& object);
// "web-5d4f8c"; long owner names are truncated.
std::string revision_name(std::string_view owner, std::string_view hash);

int64_t revision_number(const api::Object& revision);
// By number, then by age: the older one first.
void sort_revisions(std::vector<api::ObjectPtr>& revisions);

// The revisions to delete: the oldest of `old` that are not in use, down to the limit. `old`:
// ascending.
std::vector<api::ObjectPtr> surplus_revisions(
    const std::vector<api::ObjectPtr>& old, int64_t limit,
    const std::function<bool(const api::Object&)>& in_use);

}  // namespace proa::controllers
