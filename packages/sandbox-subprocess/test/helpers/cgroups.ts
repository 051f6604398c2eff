// Whether tests of control groups can run here.
import { isRoot } from '../../../core/test/helpers/requires.js'
import { isPresent } from '../../../core/test/helpers/skips.js'
import { type Control, usableHierarchies } from '../../src/cgroups/hierarchy.js'

/** Whether groups can be made that bound `control`; an ordinary user needs one that was delegated to it. */
export function canBound(control: Control): boolean {
  return (
    usableHierarchies().some(({ controls }) => controls.includes(control)) ||
    (isRoot(`control groups for ${control}`) &&
      isPresent(
        false,
        `tests of control groups cannot run here: mount the controller "${control}" so that it can be written to`,
      ))
  )
}
