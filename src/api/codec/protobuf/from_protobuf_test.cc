#include "api/codec/protobuf/from_protobuf.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf/wire.h"
#include "api/schema/builtin.h"
#include "base/encoding.h"
#include "json/print.h"

namespace proa::api {
namespace {

const Type& type_named(std::string_view name) {
  const Type* type = builtin_schema().find_openapi("io.k8s.api." + std::string(name));
  CHECK(type != nullptr);
  return *type;
}

const Type& schema_type() {
  return *builtin_schema().find_openapi(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
}

std::string decoded(std::string_view bytes, const Type& type) {
  const auto result = from_protobuf(bytes, type, builtin_schema());
  return result.ok() ? json::print(result->root()) : result.status().message();
}

struct Case {
  const char* name;
  const char* type;
  const char* hex;
  const char* expected;
};

TEST(FromProtobuf, ReadsWhateverProtobufAllows) {
  const Case cases[] = {
      {"nothing", "core.v1.ContainerPort", "", R"({"containerPort":0})"},
      {"any order", "core.v1.ContainerPort", "220354435018500a0161",
       R"({"name":"a","containerPort":80,"protocol":"TCP"})"},
      {"the last of several", "core.v1.ContainerPort", "1850181a", R"({"containerPort":26})"},
      {"fields that nobody knows", "core.v1.ContainerPort", "1850f8070afa0702616280080b",
       R"({"containerPort":80})"},
      {"maps unsorted and with equal keys", "core.v1.ConfigMap",
       "120612016212013112060a016112013112060a01621201321206"
       "0a0163120133",
       R"({"metadata":{},"data":{"":"1","a":"1","b":"2","c":"3"}})"},
      {"entries without a value", "core.v1.ConfigMap", "12030a01611a030a0162",
       R"({"metadata":{},"data":{"a":""},"binaryData":{"b":""}})"},
      {"packed numbers", "core.v1.ContainerRestartRuleOnExitCodes",
       "12030102030a01491204"
       "04050607",
       R"({"operator":"I","values":[1,2,3,4,5,6,7]})"},
      {"messages in pieces", "core.v1.Pod", "0a030a01610a031a0162",
       R"({"metadata":{"name":"a","namespace":"b"},"spec":{"containers":null},"status":{}})"},
      {"groups in pieces", "core.v1.Volume",
       "0a0176120212001202"
       "1a00",
       R"({"name":"v","emptyDir":{},"gcePersistentDisk":{"pdName":""}})"},
      {"text that is no UTF-8", "core.v1.ContainerPort", "0a03c328611850",
       "{\"name\":\"\xEF\xBF\xBD(a\",\"containerPort\":80}"},
      {"negative numbers", "core.v1.ContainerPort", "18ffffffffffffffffff01",
       R"({"containerPort":-1})"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(decoded(*from_hex(one.hex), type_named(one.type)), one.expected);
  }
}

TEST(FromProtobuf, RefusesWhatIsWrong) {
  const Case cases[] = {
      {"a number for a text", "core.v1.ContainerPort", "0805",
       "proto: wrong wireType = 0 for field name"},
      {"a text for a number", "core.v1.ContainerPort", "1a0161",
       "proto: wrong wireType = 2 for field containerPort"},
      {"cut off", "core.v1.ContainerPort", "0a05", "unexpected EOF"},
      {"cut off inside", "core.v1.Pod", "0a020a05", "unexpected EOF"},
      {"a group of fields that is a number", "core.v1.Volume", "1001",
       "proto: wrong wireType = 0 for field volumeSource"},
      {"an entry that is a number", "core.v1.ConfigMap", "1001",
       "proto: wrong wireType = 0 for field data"},
      {"an impossible union", "core.v1.ServicePort", "22020805", "impossible IntOrString.Type"},
      {"a year beyond all", "core.v1.PodCondition", "220a08ffffffffffffffff7f",
       "year outside of range [0,9999]"},
      {"raw text that is no JSON", "apps.v1.ControllerRevision", "12030a017b",
       "invalid JSON at offset 1: the text ends too early"},
      {"an object of no known kind inside", "apps.v1.ControllerRevision",
       "120f0a0d6b3873000a070a02763112015a",
       "no kind \"Z\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\""},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto result = from_protobuf(*from_hex(one.hex), type_named(one.type), builtin_schema());
    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(result.is(Reason::kBadRequest));
    EXPECT_EQ(result.status().message(), one.expected);
  }
}

std::string nested(uint32_t number, int levels) {
  ReverseWriter writer;
  for (int i = 0; i < levels; ++i) writer.end_message(number, 0);
  return writer.take();
}

TEST(FromProtobuf, RefusesDeepNesting) {
  constexpr uint32_t kNot = 28;
  EXPECT_TRUE(from_protobuf(nested(kNot, 400), schema_type(), builtin_schema()).ok());
  EXPECT_EQ(decoded(nested(kNot, 100'000), schema_type()), "nested too deeply");
  constexpr uint32_t kAllOf = 25;
  EXPECT_EQ(decoded(nested(kAllOf, 300), schema_type()), "nested too deeply");
}

TEST(FromProtobuf, RefusesFewBytesThatWouldBecomeAnEnormousDocument) {
  // Nodes without content: each becomes an object of a dozen members.
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += std::string("\x12\x00", 2);
  const auto result = from_protobuf(bytes, type_named("core.v1.NodeList"), builtin_schema());
  EXPECT_TRUE(result.is(Reason::kRequestEntityTooLarge));
}

// A pod whose spec has these bytes again and again.
std::string pod_of(std::string_view bytes, int times) {
  std::string spec;
  for (int i = 0; i < times; ++i) spec += bytes;
  ReverseWriter writer;
  writer.bytes_field(2, spec);
  return writer.take();
}

TEST(FromProtobuf, PaysForValuesAndMemory) {
  const Type& pod = type_named("core.v1.Pod");
  const auto read = [&](const std::string& bytes, const Budget::Limits& limits) {
    Budget budget(limits);
    return from_protobuf(bytes, pod, builtin_schema(), {}, &budget);
  };
  const std::string_view volume("\x0a\x00", 2);
  EXPECT_TRUE(read(pod_of(volume, 100'000), {}).ok());
  const auto refused = read(pod_of(volume, 1'400'000), {});
  ASSERT_TRUE(refused.is(Reason::kRequestEntityTooLarge));
  EXPECT_EQ(refused.status().message(),
            "Request entity too large: the body has more than 250000 values");
  EXPECT_TRUE(read(pod_of(volume, 1'000), {.memory = 50'000}).is(Reason::kRequestEntityTooLarge));
  // Packed numbers (supplementalGroups of the security context) and maps (nodeSelector).
  std::string numbers(300'000, '\x01');
  ReverseWriter context;
  context.bytes_field(4, numbers);
  ReverseWriter spec;
  spec.bytes_field(14, context.take());
  EXPECT_TRUE(read(pod_of(spec.take(), 1), {}).is(Reason::kRequestEntityTooLarge));
  EXPECT_TRUE(read(pod_of(std::string_view("\x3a\x00", 2), 300'000), {})
                  .is(Reason::kRequestEntityTooLarge));
}

TEST(FromProtobuf, RefusesPiecesThatWouldBeCopiedAgainAndAgain) {
  // Each level has a large piece and an empty one, so that each is merged.
  std::string bytes(200'000, '\0');
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) bytes[i] = '\x78', bytes[i + 1] = '\x01';
  for (int level = 0; level < 200; ++level) {
    ReverseWriter writer;
    writer.bytes_field(28, "");
    writer.bytes_field(28, bytes);
    bytes = writer.take();
  }
  const auto result = from_protobuf(bytes, schema_type(), builtin_schema());
  EXPECT_FALSE(result.ok());
}

}  // namespace
}  // namespace proa::api
