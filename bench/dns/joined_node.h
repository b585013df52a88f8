#pragma once

namespace proa::dns_bench {

// A lab of two machines: what the process of the joined node needs for all Services. True where
// there can be no lab; false if it fails.
bool measure_joined_node();

}  // namespace proa::dns_bench
