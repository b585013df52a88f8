#pragma once

#include "netlink/message.h"
#include "netlink/nft/ruleset.h"

namespace proa::netlink::nft {

// Writes the expressions of a rule as attributes of the message (NFTA_RULE_EXPRESSIONS): the same
// that nft makes of the text.
void write_expressions(Batch& batch, Family family, const Rule& rule);

// Writes a verdict as NFTA_DATA_VERDICT.
void write_verdict(Batch& batch, const Verdict& verdict);

}  // namespace proa::netlink::nft
