#include "encryption/config/schema.h"

#include "api/validation/configuration.h"

namespace proa::encryption {
namespace schema {

// In the language of schema/: this is read from a file, and is in no API.
constexpr std::string_view kConfiguration = R"(
group   apiserver.config.k8s.io/v1
package k8s.io.apiserver.config.v1
openapi io.k8s.apiserver.config.v1
use     meta_v1

kind EncryptionConfiguration  json-only  unpublished  "Which resources are encrypted, and how."
  - resources  []ResourceConfiguration

type ResourceConfiguration  json-only  unpublished
  - resources  []string
  - providers  []ProviderConfiguration

type ProviderConfiguration  json-only  unpublished
  - aesgcm     *AESConfiguration
  - aescbc     *AESConfiguration
  - secretbox  *AESConfiguration
  - identity   any
  - kms        *KMSConfiguration

type AESConfiguration  json-only  unpublished
  - keys  []Key

type Key  json-only  unpublished
  - name    string
  - secret  string

type KMSConfiguration  json-only  unpublished
  - apiVersion  string
  - name        string
  - cachesize   *int32
  - endpoint    string
  - timeout     *Duration
)";

}  // namespace schema

const api::Schema& encryption_schema() {
  static const api::Schema kSchema = api::configuration_schema(schema::kConfiguration);
  return kSchema;
}

}  // namespace proa::encryption
