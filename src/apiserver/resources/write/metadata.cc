#include "apiserver/resources/write/metadata.h"

namespace proa::apiserver {
namespace metadata {

// As upstream's names.SimpleNameGenerator: base and suffix fit into 63 bytes.
constexpr size_t kMaxBaseBytes = 58;
constexpr size_t kSuffixBytes = 5;

bool changed(api::View object, api::View old, std::string_view what) {
  if (what != "*" && what != "**") return !(object.at(what) == old.at(what));
  const bool with_status = what == "**";
  const auto rest_differs = [&](api::View one, api::View other) {
    for (const json::Member& member : one.members()) {
      if (member.key == "metadata" || (member.key == "status" && !with_status)) continue;
      if (!(api::View(member.value) == other[member.key])) return true;
    }
    return false;
  };
  return rest_differs(object, old) || rest_differs(old, object);
}

}  // namespace metadata

std::string timestamp(const Clock& clock) { return format_time(clock.now()); }

bool generate_name(api::Edit metadata, Random& random) {
  const std::string_view base = metadata["generateName"].text();
  if (base.empty()) return false;
  metadata.set("name", std::string(base.substr(0, metadata::kMaxBaseBytes)) +
                           make_suffix(random, metadata::kSuffixBytes));
  return true;
}

void fill_metadata(api::Edit object, const Request& request, const ApiContext& context) {
  const api::Edit meta = object.object("metadata");
  if (meta["name"].text().empty()) generate_name(meta, context.random);
  if (request.resource->namespaced) {
    meta.set("namespace", request.name_space);
  } else {
    meta.remove("namespace");
  }
  meta.set("uid", make_uid(context.random));
  meta.set("creationTimestamp", timestamp(context.clock));
  // A PUT that creates may have them.
  meta.remove("deletionTimestamp");
  meta.remove("deletionGracePeriodSeconds");
  if (!request.resource->generation_counts.empty() && request.resource->generation_starts) {
    meta.set("generation", 1);
  }
}

// As upstream's rest.BeforeUpdate: what validation does not reject.
void keep_metadata(api::Edit object, api::View old) {
  const api::Edit meta = object.object("metadata");
  const api::View before = old["metadata"];
  meta.copy("generation", before["generation"]);
  meta.copy("creationTimestamp", before["creationTimestamp"]);
  if (meta["uid"].text().empty()) meta.copy("uid", before["uid"]);
  if (before["deletionTimestamp"]) meta.copy("deletionTimestamp", before["deletionTimestamp"]);
  if (!meta["deletionGracePeriodSeconds"]) {
    meta.copy("deletionGracePeriodSeconds", before["deletionGracePeriodSeconds"]);
  }
}

void count_generation(api::Edit object, api::View old, const api::Resource& resource) {
  for (const std::string_view what : resource.generation_counts) {
    if (!metadata::changed(object.view(), old, what)) continue;
    object.object("metadata").set("generation", old["metadata"]["generation"].integer() + 1);
    return;
  }
}

kinds::Writer writer_of(const Request& request, const ApiContext& context) {
  return {.now = context.clock.now(),
          .random = context.random,
          .user = request.user->name,
          .uid = request.user->uid,
          .groups = request.user->groups,
          .extra = request.user->extra};
}

}  // namespace proa::apiserver
