#include "kubelet/pod/status/status_patch.h"

#include <algorithm>
#include <array>

#include "api/object/edit.h"
#include "json/print.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/status/compute/conditions.h"

namespace proa::kubelet {
namespace status_patch {

using api::Edit;
using api::View;

constexpr std::string_view kShared = "DisruptionTarget";  // also set by others

void copy_fields(View from, std::initializer_list<std::string_view> fields, Edit to) {
  for (const std::string_view field : fields) to.copy(field, from[field]);
}

void remove_condition(Edit list, std::string_view type) {
  for (size_t index = 0; index < list.size(); ++index) {
    if (list.item(index)["type"].text() != type) continue;
    list.value().erase(index);
    return;
  }
}

// Those of others as the API server has them, then our own.
void merge_conditions(const PatchInputs& inputs, View told, bool ends, Edit merged) {
  merged.remove("conditions");
  const Edit list = merged.array("conditions");
  for (const View condition : told["conditions"].items()) {
    if (!is_own_condition(condition["type"].text()))
      list.push(condition.value()->copy(list.arena()));
  }
  for (const View condition : inputs.status["conditions"].items()) {
    const std::string_view type = condition["type"].text();
    if (is_own_condition(type)) {
      list.push(condition.value()->copy(list.arena()));
    } else if (type == kShared && ends) {
      // Told together with the phase, and with the time of that.
      const bool stays = find_condition(told, kShared)["status"] == condition["status"];
      remove_condition(list, kShared);
      list.push(condition.value()->copy(list.arena()));
      if (!stays) list.item(list.size() - 1).set("lastTransitionTime", format_time(inputs.now));
    }
  }
  if (list.size() == 0) merged.remove("conditions");
}

// mergePodStatus in upstream.
json::Document merge(const PatchInputs& inputs) {
  const View told = inputs.told.status();
  json::Document document;
  document.root() = inputs.status.value()->copy(document.arena());
  const Edit merged(document);
  if (inputs.finished && !inputs.pod.is_static() && !is_final_phase(merged["phase"].text())) {
    merged.set("phase", "Failed");
  }
  const bool was_over = is_final_phase(told["phase"].text());
  const bool over = is_final_phase(merged["phase"].text());
  const bool may_run = inputs.may_run && !inputs.finished;
  merge_conditions(inputs, told, !was_over && over && !may_run, merged);
  copy_fields(told,
              {"resourceClaimStatuses", "extendedResourceClaimStatus",
               "nodeAllocatableResourceClaimStatuses"},
              merged);
  if (!was_over && over && may_run) copy_fields(told, {"phase", "reason", "message"}, merged);
  if (was_over && merged["phase"].text() != told["phase"].text())
    merged.copy("phase", told["phase"]);
  end_readiness(inputs.told, merged, told, inputs.now);
  return document;
}

void diff(View from, View to, Edit patch);

// Item by item, so that concurrent additions of others are not lost.
void diff_conditions(View from, View to, Edit patch) {
  const Edit order = patch.array("$setElementOrder/conditions");
  for (const View condition : to["conditions"].items()) {
    order.push_object().copy("type", condition["type"]);
  }
  const Edit list = patch.array("conditions");
  for (const View condition : to["conditions"].items()) {
    const View before = find_condition(from, condition["type"].text());
    if (condition == before) continue;
    const Edit written = list.push_object();
    diff(before, condition, written);
    written.copy("type", condition["type"]);
  }
  for (const View condition : from["conditions"].items()) {
    if (find_condition(to, condition["type"].text())) continue;
    const Edit removed = list.push_object();
    removed.set("$patch", "delete");
    removed.copy("type", condition["type"]);
  }
}

void replace_list(std::string_view name, View to, Edit patch) {
  const Edit list = patch.array(name);
  list.push_object().set("$patch", "replace");
  for (const View item : to.items()) list.push(item.value()->copy(list.arena()));
}

void diff_member(std::string_view name, View from, View to, Edit patch) {
  const bool merges = name == "podIPs" || name == "hostIPs";  // by address, the default merge key
  if (merges && from) {
    replace_list(name, to, patch);
  } else if (from.is(json::Kind::kObject) && to.is(json::Kind::kObject)) {
    diff(from, to, patch.object(name));
  } else {
    patch.copy(name, to);
  }
}

void diff(View from, View to, Edit patch) {
  for (const json::Member& member : to.members()) {
    const View before = from[member.key];
    if (before == View(member.value)) continue;
    if (member.key == "conditions" && before) {
      diff_conditions(from, to, patch);
    } else {
      diff_member(member.key, before, member.value, patch);
    }
  }
  for (const json::Member& member : from.members()) {
    if (!to[member.key] && View(member.value)) patch.set(member.key, json::Value());
  }
}

}  // namespace status_patch

std::string make_status_patch(const PatchInputs& inputs) {
  const json::Document merged = status_patch::merge(inputs);
  json::Document patch(json::Arena(), json::Value::object());
  const api::Edit root(patch);
  const api::Edit status = root.object("status");
  status_patch::diff(inputs.told.status(), merged.root(), status);
  if (status.view().empty()) return {};
  root.object("metadata").set("uid", inputs.told.object()->metadata().uid);
  return json::print(patch.root());
}

}  // namespace proa::kubelet
