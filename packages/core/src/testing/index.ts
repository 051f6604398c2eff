// The third door: doubles and kits for people who test sandboxes, models and loops.
export {}
