#include "custom/decode/decode.h"

#include "custom/decode/defaults.h"
#include "custom/decode/metadata.h"
#include "custom/decode/prune.h"

namespace proa::custom {

// The order is that of upstream's unstructuredSchemaCoercer.apply.
Result<std::vector<std::string>> decode(json::Arena& arena, json::Value& object,
                                        const api::Structure& structure,
                                        const DecodeOptions& options, Budget& budget) {
  UnknownFields unknown;
  UnknownFields* const asked = options.reports_unknown ? &unknown : nullptr;
  const MetadataOptions metadata{.drops_malformed = options.drops_malformed, .unknown = asked};
  TRY(canonicalize_metadata(arena, object, "<nil>", metadata, budget));
  prune(arena, object, structure, true, asked);
  prune_nulls(arena, object, structure);
  TRY(canonicalize_embedded(arena, object, structure, false, metadata, budget));
  if (options.sets_defaults) TRY(apply_defaults(arena, object, structure, budget));
  return std::move(unknown.paths());
}

}  // namespace proa::custom
