#include "api/schema/builtin.h"

#include <array>
#include <cstdio>

// Puts a file of schema/ into the program: the text lies between two symbols.
#define EMBED(name)                                                                 \
  asm(".pushsection .rodata\n"                                                      \
      ".globl proa_schema_" #name                                                   \
      "\n"                                                                          \
      ".hidden proa_schema_" #name                                                  \
      "\n"                                                                          \
      "proa_schema_" #name                                                          \
      ":\n"                                                                         \
      ".incbin \"" PROA_SCHEMA_FOLDER "/" #name                                     \
      ".schema\"\n"                                                                 \
      ".globl proa_schema_" #name                                                   \
      "_end\n"                                                                      \
      ".hidden proa_schema_" #name                                                  \
      "_end\n"                                                                      \
      "proa_schema_" #name                                                          \
      "_end:\n"                                                                     \
      ".popsection\n");                                                             \
  extern "C" __attribute__((visibility("hidden"))) const char proa_schema_##name[]; \
  extern "C" __attribute__((visibility("hidden"))) const char proa_schema_##name##_end[];

// Every group and version that we know.
#define FOR_EACH_SCHEMA(DO)    \
  DO(meta_v1)                  \
  DO(core_v1)                  \
  DO(admission_v1)             \
  DO(admissionregistration_v1) \
  DO(apidiscovery_v2)          \
  DO(apiextensions_v1)         \
  DO(apiregistration_v1)       \
  DO(apps_v1)                  \
  DO(authentication_v1)        \
  DO(authorization_v1)         \
  DO(autoscaling_v1)           \
  DO(autoscaling_v2)           \
  DO(batch_v1)                 \
  DO(certificates_v1)          \
  DO(coordination_v1)          \
  DO(discovery_v1)             \
  DO(events_v1)                \
  DO(flowcontrol_v1)           \
  DO(metrics_v1beta1)          \
  DO(networking_v1)            \
  DO(node_v1)                  \
  DO(policy_v1)                \
  DO(rbac_v1)                  \
  DO(resource_v1)              \
  DO(scheduling_v1)            \
  DO(storage_v1)

// The container runtime interface.
#define FOR_EACH_CRI_SCHEMA(DO) \
  DO(cri_v1)                    \
  DO(containerd_events_v1)

#define FOR_EACH_ETCD_SCHEMA(DO) DO(etcd_v3)

FOR_EACH_SCHEMA(EMBED)
FOR_EACH_CRI_SCHEMA(EMBED)
FOR_EACH_ETCD_SCHEMA(EMBED)

namespace proa::api {
namespace builtin {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

#define ENTRY(name) SchemaFile{#name, between(proa_schema_##name, proa_schema_##name##_end)},
const auto& files() {
  static const std::array kFiles{FOR_EACH_SCHEMA(ENTRY)};
  return kFiles;
}

const auto& cri_files() {
  static const std::array kFiles{FOR_EACH_CRI_SCHEMA(ENTRY)};
  return kFiles;
}

const auto& etcd_files() {
  static const std::array kFiles{FOR_EACH_ETCD_SCHEMA(ENTRY)};
  return kFiles;
}

const Schema* parse(std::span<const SchemaFile> files) {
  auto parsed = parse_schema(files);
  if (!parsed.ok()) std::fprintf(stderr, "proa: %s\n", parsed.status().message().c_str());
  CHECK(parsed.ok());
  return new Schema(std::move(parsed).value());
}

}  // namespace builtin

std::span<const SchemaFile> builtin_schema_files() { return builtin::files(); }

const Schema& builtin_schema() {
  static const Schema* const kSchema = builtin::parse(builtin_schema_files());
  return *kSchema;
}

const Schema& cri_schema() {
  static const Schema* const kSchema = builtin::parse(builtin::cri_files());
  return *kSchema;
}

const Schema& etcd_schema() {
  static const Schema* const kSchema = builtin::parse(builtin::etcd_files());
  return *kSchema;
}

}  // namespace proa::api
