#pragma once

#include "apiserver/streaming/webhooks/conversion_review.h"
#include "apiserver/streaming/webhooks/hook_clients.h"
#include "custom/definition/converter.h"
#include "custom/definition/definition.h"

namespace proa::apiserver {

// Converts custom objects by the webhooks of their definitions.
class ConversionWebhooks final : public custom::Converter {
 public:
  // REQUIRES: it outlives this.
  explicit ConversionWebhooks(HookClients& hooks) : hooks_(hooks) {}

  Result<std::vector<json::Document>> convert(const custom::Definition& definition,
                                              std::span<const json::Value* const> objects,
                                              std::string_view group_version) override;

 private:
  Result<std::vector<json::Document>> ask(const HookConfig& config,
                                          const ConversionQuestion& question);

  HookClients& hooks_;
};

}  // namespace proa::apiserver
