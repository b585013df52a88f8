#include "kinds/conversion.h"

#include <fmt/format.h>

#include "api/codec/json/decode.h"
#include "api/object/edit.h"
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "kinds/networking/events/event_conversion.h"
#include "kinds/workloads/autoscaling/autoscaler_conversion.h"

namespace proa::kinds {

namespace conversion {

struct Pair {
  std::string_view kind;
  std::string_view from;
  std::string_view to;
  void (*fill)(api::View object, api::Edit converted);
};

constexpr Pair kPairs[] = {
    {"HorizontalPodAutoscaler", "autoscaling/v1", "autoscaling/v2", autoscaler_to_v2},
    {"HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v1", autoscaler_to_v1},
    {"Event", "v1", "events.k8s.io/v1", event_to_events_group},
    {"Event", "events.k8s.io/v1", "v1", event_to_core_group},
};

}  // namespace conversion

Result<json::Document> convert(const json::Document& object, std::string_view from,
                               std::string_view to, std::string_view kind) {
  if (from == to) return object.copy();
  for (const conversion::Pair& pair : conversion::kPairs) {
    if (pair.kind != kind || pair.from != from || pair.to != to) continue;
    json::Document converted;
    converted.root() = json::Value::object();
    const api::Edit edit(converted);
    edit.set("kind", kind);
    edit.set("apiVersion", to);
    edit.copy("metadata", api::View(object.root())["metadata"]);
    pair.fill(object.root(), edit);
    const api::Type* type = api::builtin_schema().find_kind(to, kind);
    CHECK(type != nullptr);
    api::Decoded decoded =
        TRY(api::decode_document(std::move(converted), *type, api::FieldValidation::kIgnore));
    return std::move(decoded.document);
  }
  return Status(Reason::kBadRequest,
                fmt::format("converting {} from {} to {} is not supported", kind, from, to));
}

}  // namespace proa::kinds
