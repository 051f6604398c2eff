import { keepsItsPromises } from '../helpers/keeps-its-promises.js'

await keepsItsPromises('landlock')
