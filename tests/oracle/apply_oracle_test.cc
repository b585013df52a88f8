// Server-side apply beside upstream's own: tests/oracle/apply answers what kube-apiserver would
// make of the same writes.
//
// PROA_ORACLE_SEQUENCES=20000 PROA_ORACLE_SEED=7 choose how many sequences, and which.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "api/apply/managed/entries.h"
#include "api/apply/managed/field_manager.h"
#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "kinds/conversion.h"
#include "kinds/defaulting.h"
#include "kinds/kinds.h"
#include "testkit/process.h"
#include "tests/oracle/custom_type.h"
#include "tests/oracle/random_object.h"

namespace proa::oracle {
namespace {

using api::Atom;
using api::Place;
using api::Scalar;
using json::Value;

// Empty: the oracle is not built here.
std::string oracle_program() {
  static const std::string kPath = [] {
    const testkit::TempDir files;
    namespace fs = std::filesystem;
    const fs::path file(__FILE__);
    // The compiler may have been given a path relative to the build folder.
    const fs::path absolute =
        file.is_absolute() ? file : fs::read_symlink("/proc/self/exe").parent_path() / file;
    const fs::path script = absolute.parent_path().parent_path() / "clients" / "build-go";
    testkit::Process build({script, "apply-oracle"}, files.file("path"));
    if (build.wait() != 0) return std::string();
    std::ifstream in(files.file("path"));
    std::string path;
    std::getline(in, path);
    return path;
  }();
  return kPath;
}

std::vector<std::string> ask(const std::string& mode, const std::string& input) {
  const testkit::TempDir files;
  const std::string in = files.write("in", input);
  testkit::Process run({"sh", "-c", oracle_program() + " " + mode + " < " + in + " 2>&1"},
                       files.file("out"));
  EXPECT_EQ(run.wait(), 0);
  std::ifstream out(files.file("out"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  return lines;
}

std::string describe(const Atom& atom);

std::string describe_elements(Place place) {
  if (place.is_deduced()) return " of __untyped_deduced_";
  const Atom atom = place.resolve();
  if (atom.scalar == Scalar::kAny && atom.list && atom.map) {
    return atom.map_atomic ? " of __untyped_atomic_" : " of " + describe(atom);
  }
  return " of " + describe(atom);
}

// As tests/oracle/apply/schema.go does.
std::string describe(const Atom& atom) {
  std::vector<std::string> parts;
  switch (atom.scalar) {
    case Scalar::kNumber:
      parts.emplace_back("numeric");
      break;
    case Scalar::kString:
      parts.emplace_back("string");
      break;
    case Scalar::kBool:
      parts.emplace_back("boolean");
      break;
    case Scalar::kAny:
      parts.emplace_back("untyped");
      break;
    case Scalar::kNone:
      break;
  }
  if (atom.list) {
    std::string kind = atom.list_atomic ? "atomic" : "set";
    if (!atom.keys.empty()) {
      kind = "map ";
      for (const std::string_view key : atom.keys) {
        if (kind.size() > 4) kind += ',';
        kind += key;
      }
    }
    parts.push_back("list(" + kind + ")" + describe_elements(atom.items));
  }
  if (atom.map) {
    const std::string relation = atom.map_atomic ? "(atomic)" : "(granular)";
    if (atom.fields != nullptr && !atom.fields->fields.empty()) {
      parts.push_back("struct" + relation + " " + std::string(atom.fields->openapi));
    } else {
      parts.push_back("map" + relation + describe_elements(atom.values));
    }
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " | ") + part;
  return text;
}

TEST(ApplyOracle, MergesTypesAsUpstream) {
  if (oracle_program().empty()) GTEST_SKIP() << "the oracle is not built";
  size_t compared = 0;
  for (const std::string& line : ask("schema", "")) {
    const size_t first = line.find(' ');
    const size_t second = line.find(' ', first + 1);
    const api::Type* type = api::builtin_schema().find_openapi(line.substr(0, first));
    if (type == nullptr) continue;  // a version that is not served
    const std::string name = line.substr(first + 1, second - first - 1);
    // Defaults are compared where they matter, by the sequences.
    std::string expected = line.substr(second + 1);
    expected = expected.substr(0, expected.find(" = "));
    const api::Field* field = type->find(name);
    ASSERT_NE(field, nullptr) << line;
    // Nobody owns managedFields.
    if (type->name == "ManagedFieldsEntry") continue;
    EXPECT_EQ(describe(Place(*field).resolve()), expected) << line;
    ++compared;
  }
  EXPECT_GT(compared, 1'500U);
}

const kinds::Defaulting& defaulting() {
  static const std::vector<kinds::TypeDefaults> kHooks = kinds::all_type_defaults();
  static const kinds::Defaulting kDefaulting(api::builtin_schema(), kHooks);
  return kDefaulting;
}

struct KindCase {
  std::string_view kind;
  std::vector<std::string_view> versions;
};

const std::vector<KindCase>& kind_cases() {
  static const std::vector<KindCase> kCases = {
      {"Deployment", {"apps/v1"}},
      {"StatefulSet", {"apps/v1"}},
      {"ReplicaSet", {"apps/v1"}},
      {"Pod", {"v1"}},
      {"Service", {"v1"}},
      {"ConfigMap", {"v1"}},
      {"Secret", {"v1"}},
      {"Node", {"v1"}},
      {"ServiceAccount", {"v1"}},
      {"PersistentVolumeClaim", {"v1"}},
      {"LimitRange", {"v1"}},
      {"Job", {"batch/v1"}},
      {"Ingress", {"networking.k8s.io/v1"}},
      {"NetworkPolicy", {"networking.k8s.io/v1"}},
      {"Role", {"rbac.authorization.k8s.io/v1"}},
      {"EndpointSlice", {"discovery.k8s.io/v1"}},
      {"PodDisruptionBudget", {"policy/v1"}},
      {"StorageClass", {"storage.k8s.io/v1"}},
      {"Lease", {"coordination.k8s.io/v1"}},
      {"HorizontalPodAutoscaler", {"autoscaling/v2", "autoscaling/v1"}},
  };
  return kCases;
}

// A few, as the oracle reads each of them once.
constexpr uint64_t kCustomTypes = 60;

const CustomType& custom_type(uint64_t index) {
  static std::map<uint64_t, CustomType> made;
  return made.try_emplace(index, index).first->second;
}

// A sequence of writes: carried out here, and written down for the oracle.
class Sequence {
 public:
  explicit Sequence(uint64_t seed)
      : random_(seed),
        custom_(random_.below(4) == 0 ? &custom_type(random_.below(kCustomTypes)) : nullptr),
        case_(custom_ != nullptr ? kCustomCase : kind_cases()[random_.below(kind_cases().size())]) {
  }

  // One line for the oracle.
  std::string run() {
    managers_ = 2 + random_.below(3);
    const size_t count = 2 + random_.below(6);
    std::string steps;
    for (size_t i = 0; i < count; ++i) steps += (i == 0 ? "" : ",") + write(i);
    const std::string reset = with_reset_ ? reset_text() : "{}";
    const std::string model =
        custom_ == nullptr ? "" : fmt::format(R"("model":{},)", custom_->openapi());
    return fmt::format(R"({{"kind":"{}",{}"reset":{},"steps":[{}]}})", case_.kind, model, reset,
                       steps);
  }

  struct Answer {
    std::string object;   // JSON; empty: it failed
    std::string managed;  // of the object
    int code = 0;
    std::string error;
    bool custom = false;
  };
  const std::vector<Answer>& answers() const { return answers_; }

 private:
  static constexpr Time kStart{std::chrono::seconds(1767225600)};  // as the oracle's

  const api::Type* find_type(std::string_view version) const {
    if (std::ranges::find(case_.versions, version) == case_.versions.end()) return nullptr;
    if (custom_ != nullptr) return &custom_->kind();
    return api::builtin_schema().find_kind(version, case_.kind);
  }
  const api::Type& type() const { return *find_type(version_); }

  std::string reset_text() const {
    std::string main;
    std::string status;
    for (const std::string_view version : case_.versions) {
      main += fmt::format(R"({}"{}":{{"f:status":{{}}}})", main.empty() ? "" : ",", version);
      status += fmt::format(R"({}"{}":{{"f:spec":{{}},"f:metadata":{{"f:labels":{{}}}}}})",
                            status.empty() ? "" : ",", version);
    }
    return fmt::format(R"({{"":{{{}}},"status":{{{}}}}})", main, status);
  }

  api::ManagedKind kind(json::Arena& arena) {
    api::ManagedKind kind{
        .type = &type(),
        .subresource = subresource_,
        .find_type = [this](std::string_view version) { return find_type(version); },
        .convert =
            [this](const Value& object, std::string_view to) {
              json::Arena copies;
              Value copy = object.copy(copies);
              const json::Document document(std::move(copies), std::move(copy));
              const std::string from(api::View(document.root())["apiVersion"].text());
              return kinds::convert(document, from, to, case_.kind);
            },
        .reset_fields = nullptr,
        .custom = custom_ != nullptr};
    if (with_reset_) {
      kind.reset_fields = [this, &arena](std::string_view) {
        api::FieldSetMaker make(arena);
        if (subresource_.empty()) {
          const std::array path = {api::Element::field("status")};
          return make.single(path);
        }
        const std::array spec = {api::Element::field("spec")};
        const std::array labels = {api::Element::field("metadata"), api::Element::field("labels")};
        return make.unite(make.single(spec), make.single(labels));
      };
    }
    return kind;
  }

  Value metadata(RandomObject& make, json::Arena& arena) {
    Value metadata = Value::object();
    metadata.set(arena, "name", Value::borrowed("x"));
    const api::Type& meta =
        *api::builtin_schema().find_openapi("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    for (const std::string_view name : {"labels", "annotations", "finalizers", "ownerReferences"}) {
      if (random_.below(4) == 0) metadata.set(arena, name, make.value_of(*meta.find(name), 2));
    }
    return metadata;
  }

  // Upstream's structs tell empty lists and maps from absent ones until they are stored; ours, as
  // it stores them, do not.
  bool keeps_empty() const { return custom_ != nullptr; }

  // A partial object: what a manager applies.
  json::Document random_object(bool applies) {
    json::Arena arena;
    RandomObject make(random_, arena, applies || keeps_empty());
    Value object = make.message(type(), 5);
    object.set(arena, "apiVersion", Value::string(arena, version_));
    object.set(arena, "kind", Value::string(arena, case_.kind));
    object.set(arena, "metadata", metadata(make, arena));
    return {std::move(arena), std::move(object)};
  }

  // Replaces, adds or removes fields of the live object.
  void mutate(Value& value, const api::Type& of, RandomObject& make, json::Arena& arena) {
    for (const api::Field& field : of.fields) {
      Value* present = value.find(field.name);
      if (present == nullptr || !RandomObject::is_usable(field)) continue;
      if (field.type->is_message() && field.shape == api::Shape::kSingle &&
          present->is(json::Kind::kObject) && random_.below(2) == 0) {
        mutate(*present, *field.type, make, arena);
      } else if (random_.below(8) == 0 && field.name != "kind" && field.name != "apiVersion") {
        value.remove(field.name);
      }
    }
    Value extra = make.message(of, 2);
    for (const json::Member& member : extra.members()) {
      if (random_.below(2) == 0) value.set(arena, member.key, member.value.copy(arena));
    }
  }

  json::Document mutated() {
    json::Arena arena;
    Value copy = live_.root().copy(arena);
    RandomObject make(random_, arena, keeps_empty());
    mutate(copy, type(), make, arena);
    Value* meta = copy.find("metadata");
    if (random_.below(3) == 0) {
      Value fresh = metadata(make, arena);
      for (const json::Member& member : fresh.members())
        meta->set(arena, member.key, member.value.copy(arena));
    }
    // Clients send them back, leave them out, or reset them.
    const uint64_t choice = random_.below(20);
    if (choice < 8) meta->remove("managedFields");
    if (choice == 8) meta->set(arena, "managedFields", Value::array());
    return {std::move(arena), std::move(copy)};
  }

  void to_version() {
    if (!exists_ || api::View(live_.root())["apiVersion"].text() == version_) return;
    Result<json::Document> converted = kinds::convert(
        live_, std::string(api::View(live_.root())["apiVersion"].text()), version_, case_.kind);
    EXPECT_TRUE(converted);
    if (converted) live_ = std::move(*converted);
  }

  std::string write(size_t index) {
    version_ = case_.versions[random_.below(case_.versions.size())];
    subresource_ = exists_ && random_.below(5) == 0 ? "status" : "";
    to_version();
    const bool applies = random_.below(2) == 0;
    const bool force = random_.below(3) == 0;
    const std::string manager =
        random_.below(8) == 0 ? "kubectl" : fmt::format("m{}", random_.below(managers_));
    const std::string_view op = applies ? "apply" : exists_ ? "update" : "create";
    json::Document object = applies || !exists_ ? random_object(applies) : mutated();
    if (applies && exists_ && random_.below(4) == 0 && !last_applied_.empty())
      object = json::parse_literal(last_applied_);
    if (applies && version_ == api::View(object.root())["apiVersion"].text())
      last_applied_ = json::print(object.root());
    const std::string text = json::print(object.root());
    const api::FieldWriter writer{.manager = manager, .now = kStart + std::chrono::minutes(index)};
    carry_out(applies, force, text, writer);
    return fmt::format(
        R"({{"op":"{}","apiVersion":"{}","manager":"{}","subresource":"{}","force":{},"object":{}}})",
        op, version_, manager, subresource_, force, text);
  }

  void carry_out(bool applies, bool force, const std::string& text,
                 const api::FieldWriter& writer) {
    json::Arena arena;
    const api::ManagedKind managed = kind(arena);
    const json::Document nothing = api::empty_object(managed);
    const Value& live = exists_ ? live_.root() : nothing.root();
    Result<json::Document> made =
        applies ? apply(managed, live, text, writer, force) : update(managed, live, text, writer);
    if (!made) {
      answers_.push_back({.object = {},
                          .managed = {},
                          .code = made.status().code(),
                          .error = made.status().message(),
                          .custom = custom_ != nullptr});
      return;
    }
    live_ = std::move(*made);
    exists_ = true;
    api::Edit(live_).object("metadata").set("uid", "u");
    const Value* entries = api::View(live_.root())["metadata"]["managedFields"].value();
    answers_.push_back({.object = json::print(live_.root()),
                        .managed = entries == nullptr ? "" : json::print(*entries),
                        .code = 0,
                        .error = {},
                        .custom = custom_ != nullptr});
  }

  Result<json::Document> decode(json::Document document) const {
    if (custom_ != nullptr) return document;
    api::Decoded decoded =
        TRY(api::decode_document(std::move(document), type(), api::FieldValidation::kIgnore));
    defaulting().apply(api::Edit(decoded.document), type());
    // Defaults go in at the end: as they are read again.
    api::Decoded again = TRY(
        api::decode_document(std::move(decoded.document), type(), api::FieldValidation::kIgnore));
    if (version_ == case_.versions[0]) return std::move(again.document);
    // As it is stored.
    const json::Document hub =
        TRY(kinds::convert(again.document, version_, case_.versions[0], case_.kind));
    return kinds::convert(hub, case_.versions[0], version_, case_.kind);
  }

  Result<json::Document> update(const api::ManagedKind& managed, const Value& live,
                                const std::string& text, const api::FieldWriter& writer) {
    json::Document object = TRY(decode(json::parse_literal(text)));
    api::track_update(managed, live, api::Edit(object), writer);
    return object;
  }

  Result<json::Document> apply(const api::ManagedKind& managed, const Value& live,
                               const std::string& text, const api::FieldWriter& writer,
                               bool force) {
    const json::Document config = json::parse_literal(text);
    json::Document merged = TRY(api::apply_fields(managed, live, config.root(), writer, force));
    return decode(std::move(merged));
  }

  static inline const KindCase kCustomCase{CustomType::kKind, {CustomType::kVersion}};

  SeededRandom random_;
  const CustomType* const custom_;  // null: a kind of the API
  const KindCase& case_;
  bool with_reset_ = random_.below(2) == 0;
  size_t managers_ = 2;
  std::string version_;
  std::string subresource_;
  bool exists_ = false;
  json::Document live_;
  std::string last_applied_;
  std::vector<Answer> answers_;
};

// Times and order count for managed fields, but not the order of an object's keys.
std::string difference(const Sequence::Answer& ours, const Value& theirs) {
  const api::View upstream(theirs);
  if (!upstream["object"]) {
    const std::string error(upstream["error"].text());
    if (ours.object.empty()) {
      // Several errors come in the order of a Go map.
      if (error == ours.error || error.find('\n') != std::string::npos) return {};
    }
    return "upstream fails: " + error +
           "\nours: " + (ours.object.empty() ? ours.error : ours.object);
  }
  if (ours.object.empty())
    return "ours fails: " + ours.error + "\nupstream: " + json::print(*upstream["object"].value());
  const Value* entries = upstream["object"]["metadata"]["managedFields"].value();
  const std::string managed = entries == nullptr ? "" : json::print(*entries);
  const json::Document object = json::parse_literal(ours.object);
  // Upstream prints a custom object as a map, in the order of the alphabet.
  const bool same_order = ours.custom || managed == ours.managed;
  if (object.root() == *upstream["object"].value() && same_order) return {};
  return "ours:     " + ours.object + "\nupstream: " + json::print(*upstream["object"].value());
}

TEST(ApplyOracle, WritesAsUpstream) {
  if (oracle_program().empty()) GTEST_SKIP() << "the oracle is not built";
  const auto number = [](const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text == nullptr ? fallback : parse_uint(text).value_or(fallback);
  };
  const uint64_t first = number("PROA_ORACLE_SEED", 1);
  const uint64_t count = number("PROA_ORACLE_SEQUENCES", 500);
  std::vector<std::vector<Sequence::Answer>> ours;
  std::vector<std::string> lines;
  std::string input;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Sequence sequence(seed);
    lines.push_back(sequence.run());
    input += lines.back() + "\n";
    ours.push_back(sequence.answers());
  }
  const std::vector<std::string> theirs = ask("sequences", input);
  ASSERT_EQ(theirs.size(), ours.size()) << (theirs.empty() ? "" : theirs.back());
  size_t failures = 0;
  for (size_t i = 0; i < theirs.size() && failures < 5; ++i) {
    const json::Document answers = json::parse_literal(theirs[i]);
    ASSERT_EQ(answers.root().size(), ours[i].size());
    for (size_t step = 0; step < ours[i].size(); ++step) {
      const std::string differs = difference(ours[i][step], answers.root().items()[step]);
      if (differs.empty()) continue;
      ADD_FAILURE() << "seed " << first + i << ", write " << step << "\n"
                    << differs << "\nof " << lines[i];
      ++failures;
      break;
    }
  }
}

}  // namespace
}  // namespace proa::oracle
