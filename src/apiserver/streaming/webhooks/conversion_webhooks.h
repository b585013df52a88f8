#pragma once

#include "apiserver/access/webhook/hook_caller.h"
#include "apiserver/streaming/webhooks/conversion_review.h"
#include "base/random.h"
#include "custom/definition/converter.h"
#include "custom/definition/definition.h"

namespace proa::apiserver {

// Converts custom objects by the webhooks of their definitions.
class ConversionWebhooks final : public custom::Converter {
 public:
  // REQUIRES: both outlive this.
  ConversionWebhooks(HookCaller& hooks, Random& random) : hooks_(hooks), random_(random) {}

  Result<std::vector<json::Document>> convert(const custom::Definition& definition,
                                              std::span<const json::Value* const> objects,
                                              std::string_view group_version) override;

 private:
  Result<std::vector<json::Document>> ask(const HookConfig& config,
                                          const ConversionQuestion& question);

  HookCaller& hooks_;
  Random& random_;
};

}  // namespace proa::apiserver
