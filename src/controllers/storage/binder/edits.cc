#include "controllers/storage/binder/edits.h"

#include "api/object/edit.h"
#include "api/quantity.h"
#include "kinds/core/volumes/volume_facts.h"

namespace proa::controllers::storage {
namespace edits {

using api::Edit;
using api::View;

// Annotation with the capacity before an expansion whose file system is not resized yet.
constexpr std::string_view kPreResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

// The value does not matter.
bool annotate(Edit object, std::string_view name) {
  return object.object("metadata").object("annotations").set_default(name, "yes");
}

bool put(Edit status, std::string_view name, View value) {
  if (status[name] == value) return false;
  status.copy(name, value);
  return true;
}

bool drop(Edit status, std::string_view name) {
  if (!status.has(name)) return false;
  status.remove(name);
  return true;
}

bool put_capacity(Edit status, View volume) {
  const View before = volume["metadata"]["annotations"][kPreResizeCapacity];
  if (before && api::Quantity::parse(before.text())) {
    return put(status.object("capacity"), "storage", before);
  }
  return put(status, "capacity", volume["spec"]["capacity"]);
}

}  // namespace edits

bool bind_claim(json::Document& claim, std::string_view volume) {
  const api::Edit object(claim);
  bool changed = false;
  if (object["spec"]["volumeName"].text() != volume) {
    object.object("spec").set("volumeName", volume);
    edits::annotate(object, kinds::kBoundByController);
    changed = true;
  }
  return edits::annotate(object, kinds::kBindCompleted) || changed;
}

bool unbind_volume(json::Document& volume) {
  const api::Edit object(volume);
  const api::Edit spec = object.object("spec");
  if (!spec.has("claimRef")) return false;
  const api::Edit annotations = object.object("metadata").object("annotations");
  if (annotations.has(kinds::kBoundByController)) {
    spec.remove("claimRef");
    annotations.remove(kinds::kBoundByController);
  } else {
    spec.object("claimRef").remove("uid");
  }
  return true;
}

bool set_volume_phase(json::Document& volume, std::string_view phase, std::string_view message) {
  const api::Edit status = api::Edit(volume).object("status");
  if (status["phase"].text() == phase) return false;
  status.set("phase", phase);
  status.remove("message");
  if (!message.empty()) status.set("message", message);
  return true;
}

bool set_claim_status(json::Document& claim, std::string_view phase, api::View volume) {
  const api::Edit status = api::Edit(claim).object("status");
  const std::string before(status["phase"].text());
  const bool turns = before != phase;
  bool changed = turns;
  if (turns) status.set("phase", phase);
  if (!volume) {
    for (const char* name : {"accessModes", "capacity", "currentVolumeAttributesClassName"}) {
      changed = edits::drop(status, name) || changed;
    }
    return changed;
  }
  changed = edits::put(status, "accessModes", volume["spec"]["accessModes"]) || changed;
  // Only when it becomes bound: later, expansion and attribute changes update these fields.
  if (turns) changed = edits::put_capacity(status, volume) || changed;
  if (before == "Pending" && turns) {
    changed = edits::put(status, "currentVolumeAttributesClassName",
                         volume["spec"]["volumeAttributesClassName"]) ||
              changed;
  }
  return changed;
}

}  // namespace proa::controllers::storage
