// What managed fields and server-side apply cost per write of a Deployment, beside decoding its
// body.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <string>

#include "api/apply/managed/field_manager.h"
#include "api/codec/json/decode.h"
#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "json/parse.h"
#include "json/print.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"

namespace proa::api {
namespace {

std::string make_deployment(int replicas, std::string_view image) {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"web","namespace":"default",)"
      R"("labels":{{"app":"web","tier":"front"}},"annotations":{{"example.com/owner":"team-a"}}}},)"
      R"("spec":{{"replicas":{},"selector":{{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":)"
      R"({{"labels":{{"app":"web","tier":"front"}}}},"spec":{{"containers":[{{"name":"web","image":"{}",)"
      R"("args":["--port","8080"],"ports":[{{"containerPort":8080,"name":"http"}},{{"containerPort":9090,)"
      R"("name":"metrics"}}],"env":[{{"name":"A","value":"1"}},{{"name":"B","value":"2"}}],"resources":)"
      R"({{"limits":{{"cpu":"500m","memory":"128Mi"}},"requests":{{"cpu":"100m","memory":"64Mi"}}}},)"
      R"("volumeMounts":[{{"name":"config","mountPath":"/etc/web"}}],"readinessProbe":{{"httpGet":)"
      R"({{"path":"/ready","port":8080}}}}}},{{"name":"sidecar","image":"sidecar:1"}}],"volumes":)"
      R"([{{"name":"config","configMap":{{"name":"web"}}}}]}}}}}}}})",
      replicas, image);
}

double measure(const std::function<void()>& work) {
  // Processor time: others may use the machine, too.
  constexpr std::clock_t kLeast = CLOCKS_PER_SEC / 5;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    size_t count = 0;
    const std::clock_t start = std::clock();
    while (std::clock() - start < kLeast) {
      for (int i = 0; i < 50; ++i) work();
      count += 50;
    }
    const double micros = static_cast<double>(std::clock() - start) * 1e6 / CLOCKS_PER_SEC;
    best = std::min(best, micros / static_cast<double>(count));
  }
  return best;
}

void run() {
  const Type& type = *builtin_schema().find_kind("apps/v1", "Deployment");
  const std::vector<kinds::TypeDefaults> hooks = kinds::all_type_defaults();
  const kinds::Defaulting defaulting(builtin_schema(), hooks);
  const auto decode = [&](std::string_view text) {
    Decoded decoded = decode_json(text, type, FieldValidation::kIgnore).value();
    defaulting.apply(Edit(decoded.document), type);
    return std::move(decoded.document);
  };
  const ManagedKind kind{.type = &type};
  const Time now{std::chrono::seconds(1767225600)};
  const std::string first = make_deployment(3, "web:1");
  const json::Document nothing = empty_object(kind);
  json::Document live = decode(first);
  track_update(kind, nothing.root(), Edit(live), {.manager = "kubectl-create", .now = now});
  Edit(live).object("metadata").set("uid", "u");
  const json::Document config = json::parse_literal(make_deployment(3, "web:1"));
  const json::Document applied =
      apply_fields(kind, live.root(), config.root(), {.manager = "team", .now = now}, true).value();
  live = decode(json::print(applied.root()));
  const json::Document same = live.copy();
  const std::string live_text = json::print(live.root());
  json::Document changed = live.copy();
  Edit(changed).object("spec").set("replicas", 5);
  const json::Document new_config = json::parse_literal(make_deployment(5, "web:2"));

  const double decoding = measure([&] { decode(live_text); });
  const auto report = [&](std::string_view what, double micros) {
    fmt::print("{:<44} {:8.1f} us  {:5.2f} of decoding\n", what, micros, micros / decoding);
  };
  report("decode and default a Deployment", decoding);
  report("copy of the document", measure([&] { live.copy(); }));
  report("track an update that changes nothing", measure([&] {
           json::Document object = same.copy();
           track_update(kind, live.root(), Edit(object), {.manager = "other", .now = now});
         }));
  report("track an update of one field", measure([&] {
           json::Document object = changed.copy();
           track_update(kind, live.root(), Edit(object), {.manager = "other", .now = now});
         }));
  report("track a creation", measure([&] {
           json::Document object = same.copy();
           Edit(object).object("metadata").remove("managedFields");
           track_update(kind, nothing.root(), Edit(object), {.manager = "other", .now = now});
         }));
  const auto apply = [&](const json::Document& with) {
    return apply_fields(kind, live.root(), with.root(), {.manager = "team", .now = now}, true);
  };
  report("apply the same again", measure([&] { apply(config).value(); }));
  report("apply two changed fields", measure([&] { apply(new_config).value(); }));
  json::Document fewer = new_config.copy();
  Edit(fewer).object("spec").object("template").object("spec").remove("volumes");
  report("apply without a field of the last time", measure([&] { apply(fewer).value(); }));
}

}  // namespace
}  // namespace proa::api

int main() {
  proa::api::run();
  return 0;
}
