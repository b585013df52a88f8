#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"

// What ControllerRevisions hold: how the pods of a DaemonSet or StatefulSet looked once, so that
// people can go back to it. In upstream's layout, which kubectl rollout reads.

namespace proa::controllers {

// Of pods: which revision they were made of. Of a DaemonSet's revisions: what their pods say.
inline constexpr std::string_view kRevisionHashLabel = "controller-revision-hash";
// Of a StatefulSet's revisions.
inline constexpr std::string_view kStatefulHashLabel = "controller.kubernetes.io/hash";

// Ascending keys, no nulls: the same text for what means the same.
std::string sorted_json(api::View value);
// A patch that gives an owner the template that it has now; its keys ascend, as upstream's do.
// REQUIRES, here and below: views of objects begin at their roots.
std::string revision_data(api::View owner);
// The template in the data of a revision.
json::Document revision_template(api::View revision);

// Of names and labels, in letters that make no words. `collisions`: how often it was taken.
std::string revision_hash(std::string_view data, std::optional<int64_t> collisions);
// What a pod, or a revision, says under kRevisionHashLabel; empty for none.
std::string_view revision_hash_of(const api::Object& object);
// "web-5d4f8c"; long names of owners are cut.
std::string revision_name(std::string_view owner, std::string_view hash);

int64_t revision_number(const api::Object& revision);
// By their numbers; of the same number, the older one first.
void sort_revisions(std::vector<api::ObjectPtr>& revisions);

// Which of `old`, ascending, are beyond the limit: the first ones that are not in use.
std::vector<api::ObjectPtr> forgettable(const std::vector<api::ObjectPtr>& old, int64_t limit,
                                        const std::function<bool(const api::Object&)>& in_use);

}  // namespace proa::controllers
