#include "custom/decode/decode.h"

#include <cmath>

#include "custom/decode/defaults.h"
#include "custom/decode/members.h"
#include "custom/decode/metadata.h"
#include "custom/decode/prune.h"

namespace proa::custom {
namespace custom_decode {

// Go reads "-0" as the integer 0, which has no sign; ours is a double, so that text stays the same.
void settle_minus_zeros(json::Value& value) {
  const bool is_minus_zero =
      value.is(json::Kind::kDouble) && value.as_double() == 0 && std::signbit(value.as_double());
  if (is_minus_zero) value = json::Value::integer(0);
  for (json::Value& item : value.items()) settle_minus_zeros(item);
  for (json::Member& member : members_of(value)) settle_minus_zeros(member.value);
}

}  // namespace custom_decode

// The order is that of upstream's unstructuredSchemaCoercer.apply.
Result<std::vector<std::string>> decode(json::Arena& arena, json::Value& object,
                                        const api::Structure& structure,
                                        const DecodeOptions& options, Budget& budget) {
  UnknownFields unknown;
  UnknownFields* const asked = options.reports_unknown ? &unknown : nullptr;
  const MetadataOptions metadata{.drops_malformed = options.drops_malformed, .unknown = asked};
  custom_decode::settle_minus_zeros(object);
  TRY(canonicalize_metadata(arena, object, "<nil>", metadata, budget));
  prune(arena, object, structure, true, asked);
  prune_nulls(arena, object, structure);
  TRY(canonicalize_embedded(arena, object, structure, false, metadata, budget));
  if (options.sets_defaults) TRY(apply_defaults(arena, object, structure, budget));
  return std::move(unknown.paths());
}

}  // namespace proa::custom
