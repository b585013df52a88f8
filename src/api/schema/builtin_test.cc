#include "api/schema/builtin.h"

#include <gtest/gtest.h>

#include <chrono>

namespace proa::api {
namespace {

const Field& field_of(std::string_view openapi, std::string_view name) {
  const Type* type = builtin_schema().find_openapi(openapi);
  CHECK(type != nullptr);
  const Field* field = type->find(name);
  CHECK(field != nullptr);
  return *field;
}

TEST(BuiltinSchema, FindsKindsByGroupVersionAndName) {
  const Schema& schema = builtin_schema();
  const Type* deployment = schema.find_kind("apps/v1", "Deployment");
  ASSERT_NE(deployment, nullptr);
  EXPECT_EQ(deployment->openapi, "io.k8s.api.apps.v1.Deployment");
  EXPECT_EQ(deployment->proto, "k8s.io.api.apps.v1.Deployment");
  EXPECT_EQ(schema.find_openapi("io.k8s.api.apps.v1.Deployment"), deployment);
  EXPECT_EQ(schema.find_kind("v1", "Deployment"), nullptr);
  EXPECT_EQ(schema.find_kind("apps/v1", "DeploymentSpec"), nullptr);
}

TEST(BuiltinSchema, FindsMetaKindsUnderEveryVersion) {
  const Type* options = builtin_schema().find_kind("v1", "DeleteOptions");
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(builtin_schema().find_kind("apps/v1", "DeleteOptions"), options);
}

TEST(BuiltinSchema, KnowsWhatFieldsSay) {
  const Field& containers = field_of("io.k8s.api.core.v1.PodSpec", "containers");
  EXPECT_EQ(containers.number, 2);
  EXPECT_EQ(containers.shape, Shape::kList);
  EXPECT_TRUE(containers.required);
  EXPECT_EQ(containers.omit, Omit::kNever);
  EXPECT_EQ(containers.type->name, "Container");
  ASSERT_NE(containers.rules, nullptr);
  EXPECT_EQ(containers.rules->list_type, ListType::kMap);
  EXPECT_EQ(containers.rules->patch.key, "name");

  const Field& protocol = field_of("io.k8s.api.core.v1.ContainerPort", "protocol");
  EXPECT_EQ(protocol.rules->default_json, "\"TCP\"");
  EXPECT_EQ(protocol.rules->values.size(), 3);

  const Field& signal = field_of("io.k8s.api.core.v1.ContainerStatus", "stopSignal");
  EXPECT_EQ(signal.rules->values.size(), 65);
  EXPECT_EQ(signal.rules->gate, "ContainerStopSignals");
  EXPECT_TRUE(signal.rules->gate_off);

  const Field& usages =
      field_of("io.k8s.api.certificates.v1.CertificateSigningRequestSpec", "usages");
  EXPECT_EQ(usages.rules->values.size(), 23);
  EXPECT_EQ(usages.rules->values[1], "cert sign");

  EXPECT_EQ(field_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp").omit,
            Omit::kZero);
}

TEST(BuiltinSchema, PutsInlineFieldsIntoGroups) {
  const Type* volume = builtin_schema().find_openapi("io.k8s.api.core.v1.Volume");
  ASSERT_NE(volume, nullptr);
  const Wire::Entry* source = volume->wire.find(2);
  ASSERT_NE(source, nullptr);
  ASSERT_NE(source->group, nullptr);
  EXPECT_EQ(source->group->group_name, "volumeSource");
  const Wire::Entry* host_path = source->group->find(1);
  ASSERT_NE(host_path, nullptr);
  EXPECT_EQ(volume->fields[host_path->field].name, "hostPath");
}

TEST(CriSchema, IsApartFromTheApi) {
  const Type* config = cri_schema().find_openapi("runtime.v1.ContainerConfig");
  ASSERT_NE(config, nullptr);
  const Field* signal = config->find("stop_signal");
  ASSERT_NE(signal, nullptr);
  EXPECT_EQ(signal->number, 18);
  EXPECT_NE(cri_schema().find_openapi("containerd.services.events.v1.Envelope"), nullptr);
  EXPECT_TRUE(cri_schema().resources().empty());
  EXPECT_EQ(builtin_schema().find_openapi("runtime.v1.ContainerConfig"), nullptr);
}

TEST(BuiltinSchema, IsReadQuicklyAndSmall) {
  using Clock = std::chrono::steady_clock;
  auto best = Clock::duration::max();
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    const auto schema = parse_schema(builtin_schema_files());
    ASSERT_TRUE(schema.ok());
    best = std::min(best, Clock::now() - start);
    EXPECT_LT(schema->memory(), 1'000'000);
  }
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(best).count();
  RecordProperty("microseconds", static_cast<int>(micros));
  RecordProperty("bytes", static_cast<int>(builtin_schema().memory()));
#ifndef PROA_SANITIZED
  // Ten times the usual time, so that it does not fail on a busy machine.
  EXPECT_LT(micros, 50'000);
#endif
}

}  // namespace
}  // namespace proa::api
