#include "apiserver/access/admission/pods/pods.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "apiserver/access/admission/admission_metrics.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"
#include "json/print.h"
#include "json/yaml.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"
#include "testkit/golden.h"
#include "testkit/scripts.h"

// Runs the scripts of testdata/: the content of the store, and a plugin's results for writes. The
// first line of a command is one of these, the others are YAML.
//
//   plugin NAME                                  a new one; below it, its configuration
//   store RESOURCE                               objects
//   remove RESOURCE NAME
//   create RESOURCE [option ...] [| path ...]    an object, which passes the plugin
//   update RESOURCE [option ...] [| path ...]    the old one, "---", the new one
//   delete RESOURCE
//   spoil RESOURCE [option ...]                  an object, and many variants with invalid parts
//   advance SECONDS
//
// RESOURCE is "pods", "pods/resize" or "events.events.k8s.io". Options are user=NAME,
// namespace=NAME, dry-run, and validate-only: the object was changed after mutating admission. The
// values at the paths ("spec/containers/0") are printed if the plugin admits the object.

namespace proa::apiserver {
namespace {

using api::View;

class AllowEverything final : public Authorizer {
 public:
  Verdict authorize(const Attributes&) override { return {.decision = Decision::kAllow}; }
  void list_rules(const User&, std::string_view, RuleList&) override {}
};

struct Known {
  std::string_view name;
  MadePlugin (*make)(const AdmissionContext& context);
};
constexpr Known kPlugins[] = {
    {"LimitRanger", make_limit_ranger},
    {"ServiceAccount", make_service_account},
    {"AlwaysPullImages", make_always_pull_images},
    {"PodNodeSelector", make_pod_node_selector},
    {"Priority", make_priority},
    {"DefaultTolerationSeconds", make_default_toleration_seconds},
    {"DefaultTolerationSeconds/60/90",
     [](const AdmissionContext&) {
       return make_default_toleration_seconds({.not_ready = 60, .unreachable = 90});
     }},
    {"PodTolerationRestriction", make_pod_toleration_restriction},
    {"EventRateLimit", make_event_rate_limit},
    {"RuntimeClass", make_runtime_class},
    {"PodTopologyLabels", make_pod_topology_labels},
    {"PodResizeValidator", make_pod_resize_validator},
};

View find(View value, std::string_view path) {
  for (const std::string_view step : split(path, '/')) {
    const auto index = parse_uint(step);
    value = value.is(json::Kind::kArray) && index ? value.item(*index) : value[step];
  }
  return value;
}

// Replaces a random part.
void spoil(json::Value& value, json::Arena& arena, Random& random) {
  if (value.size() > 0 && random.below(4) != 0) {
    const size_t chosen = random.below(value.size());
    json::Value& part = value.is(json::Kind::kArray) ? value.items()[chosen]
                                                     : *value.find(value.members()[chosen].key);
    spoil(part, arena, random);
    return;
  }
  switch (random.below(7)) {
    case 0:
      value = json::Value();
      break;
    case 1:
      value = json::Value::integer(-7);
      break;
    case 2:
      value = json::Value::string(arena, "Always");
      break;
    case 3:
      value = json::Value::boolean(true);
      break;
    case 4:
      value = json::Value::array();
      break;
    case 5:
      value = json::Value::array();
      value.push_back(arena, json::Value());
      break;
    default:
      value = json::Value::object();
  }
}

class Script {
 public:
  std::string run(std::string_view command) {
    const auto halves = split_once(command, '\n');
    const Line line(halves ? halves->before : command);
    const std::string_view body = halves ? halves->after : "";
    if (line.words[0] == "plugin") return make_plugin(line.words[1], body);
    if (line.words[0] == "advance") {
      clock_.advance(std::chrono::seconds(parse_int(line.words[1]).value()));
      return "";
    }
    const api::Resource& resource = find_resource(line.words[1]);
    if (line.words[0] == "remove") return remove(resource, line.words[2]);
    if (line.words[0] == "store") return put(resource, body);
    return admit(line, resource, body);
  }

 private:
  // "create pods user=x | spec"
  struct Line {
    explicit Line(std::string_view line) {
      const auto halves = split_once(line, '|');
      words = split(trim(halves ? halves->before : line), ' ');
      if (halves) paths = split(trim(halves->after), ' ');
    }
    std::string_view option(std::string_view name, std::string_view fallback = {}) const {
      for (const std::string_view word : words)
        if (word.starts_with(name)) return word.substr(name.size());
      return fallback;
    }
    bool has(std::string_view name) const {
      return std::find(words.begin(), words.end(), name) != words.end();
    }
    std::vector<std::string_view> words;
    std::vector<std::string_view> paths;
  };

  static std::string text_of(const Status& status) {
    std::string text = std::to_string(status.code()) + " " +
                       std::string(reason_name(status.reason())) + ": " + status.message() + "\n";
    for (const StatusCause& cause : status.details().causes) text += cause.reason + "\n";
    return text;
  }

  const api::Resource& find_resource(std::string_view word) const {
    const std::string_view plural = split(word, '/')[0];
    const auto halves = split_once(plural, '.');
    for (const api::Resource* resource : schema_.resources()) {
      if (halves ? resource->name == halves->before && resource->group == halves->after
                 : resource->name == plural) {
        return *resource;
      }
    }
    CHECK(!"a resource");
    __builtin_unreachable();
  }

  std::string make_plugin(std::string_view name, std::string_view configuration) {
    configuration_ = json::parse_yaml(configuration).value();
    for (const Known& known : kPlugins) {
      if (known.name != name) continue;
      MadePlugin made = known.make({.store = *store_,
                                    .schema = schema_,
                                    .clock = clock_,
                                    .random = random_,
                                    .authorizer = authorizer_,
                                    .metrics = metrics_,
                                    .params = params_,
                                    .configuration = View(configuration_.root())});
      if (!made) return text_of(made.status());
      plugin_ = std::move(*made);
      return "";
    }
    return "no such plugin";
  }

  json::Document completed(json::Document document, const api::Type& type) const {
    auto decoded = api::decode_document(std::move(document), type, api::FieldValidation::kStrict);
    EXPECT_TRUE(decoded.ok()) << decoded.status().message();
    defaulting_.apply(api::Edit(decoded->document), type);
    return std::move(decoded->document);
  }

  std::string put(const api::Resource& resource, std::string_view body) {
    auto documents = json::parse_yaml_stream(body).value();
    for (json::Document& one : documents) {
      json::Document document = completed(std::move(one), *resource.type);
      const api::Edit metadata = api::Edit(document).object("metadata");
      if (resource.namespaced) metadata.set_default("namespace", "test");
      const std::string key =
          key_of(resource, metadata["namespace"].text(), metadata["name"].text());
      StoredText text = encode_for_store(std::move(document), *resource.type).value();
      store::Txn txn;
      txn.operations.push_back(store::Put{
          .key = key, .value = Bytes(std::move(text.json)), .ttl = {}, .stamp_at = text.stamp_at});
      EXPECT_TRUE(store_->commit(std::move(txn), store::Durability::kSynced).ok());
    }
    return "";
  }

  std::string remove(const api::Resource& resource, std::string_view name) {
    store::Txn txn;
    txn.operations.push_back(
        store::Delete{key_of(resource, resource.namespaced ? "test" : "", name)});
    EXPECT_TRUE(store_->commit(std::move(txn), store::Durability::kSynced).ok());
    return "";
  }

  std::string admit(const Line& line, const api::Resource& resource, std::string_view body) {
    Request request;
    request.resource = &resource;
    if (const auto halves = split_once(line.words[1], '/'))
      request.subresource = resource.find_subresource(halves->after);
    if (resource.namespaced) request.name_space = line.option("namespace=", "test");
    request.user = std::make_shared<const User>(User{.name = std::string(line.option("user="))});

    const api::Type& type = request.subresource == nullptr || request.subresource->type == nullptr
                                ? *resource.type
                                : *request.subresource->type;
    std::vector<json::Document> documents = json::parse_yaml_stream(body).value();
    for (json::Document& one : documents) one = completed(std::move(one), type);
    const bool updates = line.words[0] == "update";
    const bool deletes = line.words[0] == "delete";
    const Admission admission{.request = request,
                              .operation = updates   ? Operation::kUpdate
                                           : deletes ? Operation::kDelete
                                                     : Operation::kCreate,
                              .old = updates ? View(documents[0].root()) : View(),
                              .dry_run = line.has("dry-run")};
    if (updates) request.name = admission.old["metadata"]["name"].text();
    if (!plugin_->concerns(admission)) return "not concerned";
    if (line.words[0] == "spoil") return through_spoiled(documents.back(), admission);
    return through(documents.back(), admission, line);
  }

  std::string through_spoiled(const json::Document& object, const Admission& admission) {
    for (int i = 0; i < 3000; ++i) {
      json::Document copy = object.copy();
      for (uint64_t parts = random_.below(3); parts-- > 0;) {
        const size_t chosen = random_.below(copy.root().size());
        spoil(*copy.root().find(copy.root().members()[chosen].key), copy.arena(), random_);
      }
      if (plugin_->admit(api::Edit(copy), admission))
        (void)plugin_->validate(copy.root(), admission).ok();
    }
    return "survived";
  }

  std::string through(json::Document& object, const Admission& admission, const Line& line) {
    const api::Edit edit(object);
    if (!line.has("validate-only")) {
      const auto admitted = plugin_->admit(edit, admission);
      if (!admitted) return text_of(admitted.status());
      // Webhooks may cause reinvocation, which must not change the object.
      const std::string once = json::print(object.root());
      EXPECT_TRUE(plugin_->admit(edit, admission).ok());
      EXPECT_EQ(json::print(object.root()), once);
    }
    const auto outcome = plugin_->validate(edit.view(), admission);
    if (!outcome) return text_of(outcome.status());
    if (line.paths.empty()) return "ok";
    std::string text;
    for (const std::string_view path : line.paths) {
      const View value = find(object.root(), path);
      text += std::string(path) + "=" + (value.exists() ? json::print(*value.value()) : "-") + "\n";
    }
    return text;
  }

  const api::Schema& schema_ = api::builtin_schema();
  const kinds::Defaulting defaulting_{schema_, kinds::all_type_defaults()};
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  AllowEverything authorizer_;
  AdmissionMetrics metrics_{clock_};
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  PolicyParams params_{*store_, schema_};
  json::Document configuration_;
  std::unique_ptr<AdmissionPlugin> plugin_;
};

std::filesystem::path scripts() {
  return std::filesystem::path(__FILE__).parent_path() / "testdata";
}

class PodAdmission : public testing::TestWithParam<std::string> {};

TEST_P(PodAdmission, DecidesAsExpected) {
  Script script;
  testkit::run_golden(scripts() / (GetParam() + ".txt"),
                      [&](std::string_view command) { return script.run(command); });
}

INSTANTIATE_TEST_SUITE_P(Scripts, PodAdmission, testing::ValuesIn(testkit::scripts_of(scripts())),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace proa::apiserver
